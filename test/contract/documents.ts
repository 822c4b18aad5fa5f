import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Documents, type DocumentWrite, StaleEpoch } from '../../src/stores/documents.ts';
import type { Position } from '../../src/stores/eventStore.ts';
import { phraseOf } from '../../src/stores/fullText/phrases.ts';

const at = (position: number): Position => String(position).padStart(20, '0') as Position;
const wrote = (id: string, position: number, body: DocumentWrite['body']): DocumentWrite => ({ id, position: at(position), body });

/** What every documents adapter promises. `open` gives an empty store. */
export const documentsContract = (open: () => Promise<Documents>): void => {
  let documents: Documents;
  const checkpoint = (position: number, epoch = 1, name = 'projection/items@1') => ({ name, position: at(position), epoch });
  const write = (writes: DocumentWrite[], position: number, epoch = 1) =>
    documents.writeBatch('items', writes, checkpoint(position, epoch));
  const ids = async (options: Parameters<Documents['find']>[1]) => {
    const found = (await documents.find('items', options)).map(({ id }) => id);
    expect(await documents.findIds('items', options)).toEqual(found);
    return found;
  };

  beforeEach(async () => {
    const opened = await open();
    documents = opened;
    onTestFinished(() => opened.close());
    await documents.ensureCollection({ name: 'items', indexes: [['owner', 'made'], ['state']] });
  });

  describe('a guarded batch', () => {
    it('stores documents that are read by id, with their position', async () => {
      await write([wrote('a', 1, { owner: 'u', nested: { list: [1, 'ü', null, true] } }), wrote('b', 2, {})], 2);
      expect(await documents.get('items', 'a')).toEqual({
        id: 'a',
        position: at(1),
        body: { owner: 'u', nested: { list: [1, 'ü', null, true] } },
      });
      expect(await documents.get('items', 'c')).toBeNull();
      const many = await documents.getMany('items', ['b', 'c', 'a']);
      expect(many.map(({ id }) => id).sort()).toEqual(['a', 'b']);
    });

    it('leaves equally new or newer documents unchanged, so a replay changes nothing', async () => {
      await write([wrote('a', 5, { n: 5 })], 5);
      await write([wrote('a', 5, { n: -5 }), wrote('b', 4, { n: 4 })], 5);
      await write([wrote('a', 3, { n: 3 })], 5);
      expect((await documents.get('items', 'a'))?.body).toEqual({ n: 5 });
      expect((await documents.get('items', 'b'))?.body).toEqual({ n: 4 });
      await write([wrote('a', 6, { n: 6 })], 6);
      expect((await documents.get('items', 'a'))?.body).toEqual({ n: 6 });
    });

    it('leaves a tombstone that an older write cannot overwrite but a newer one can', async () => {
      await write([wrote('a', 1, { owner: 'u' })], 1);
      await write([wrote('a', 3, null)], 3);
      await write([wrote('a', 2, { owner: 'u' })], 3);
      expect(await documents.get('items', 'a')).toBeNull();
      expect(await documents.getMany('items', ['a'])).toEqual([]);
      expect(await documents.find('items', { limit: 10 })).toEqual([]);
      expect(await documents.count('items', { owner: 'u' })).toBe(0);
      await write([wrote('a', 4, { owner: 'v' })], 4);
      expect((await documents.get('items', 'a'))?.body).toEqual({ owner: 'v' });
    });

    it('writes the checkpoint with the documents, or without any', async () => {
      expect(await documents.readCheckpoint('projection/items@1')).toBeNull();
      await write([wrote('a', 1, {})], 7, 3);
      expect(await documents.readCheckpoint('projection/items@1')).toEqual(checkpoint(7, 3));
      await documents.writeBatch('items', [], { name: 'consumer/x', position: null, epoch: 1 });
      expect(await documents.readCheckpoint('consumer/x')).toEqual({ name: 'consumer/x', position: null, epoch: 1 });
      await documents.deleteCheckpoint('projection/items@1');
      expect(await documents.readCheckpoint('projection/items@1')).toBeNull();
    });

    it('is refused with an older epoch even without documents', async () => {
      await write([], 7, 3);
      await expect(write([], 8, 2)).rejects.toThrow(StaleEpoch);
      expect(await documents.readCheckpoint('projection/items@1')).toEqual(checkpoint(7, 3));
    });

    it('is refused with an older epoch than the stored one', async () => {
      await write([], 7, 3);
      await expect(write([wrote('a', 8, {})], 8, 2)).rejects.toThrow(StaleEpoch);
      expect(await documents.readCheckpoint('projection/items@1')).toEqual(checkpoint(7, 3));
      await write([], 9, 4);
      expect(await documents.readCheckpoint('projection/items@1')).toEqual(checkpoint(9, 4));
    });

    it('answers each of many simultaneous batches separately', async () => {
      await write([], 1, 5);
      const results = await Promise.allSettled(
        Array.from({ length: 60 }, (_, n) => write([wrote(`n${n}`, n + 2, { owner: 'u', made: n })], n + 2, n % 3 === 0 ? 4 : 5)),
      );
      results.forEach((result, n) => {
        expect(result.status).toBe(n % 3 === 0 ? 'rejected' : 'fulfilled');
      });
      expect(await documents.count('items', { owner: 'u' })).toBe(40);
    });
  });

  describe('create, replace, remove', () => {
    it('gives an id to one of many', async () => {
      const won = await Promise.all(Array.from({ length: 20 }, (_, n) => documents.create('items', 'slot', { n })));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect((await documents.get('items', 'slot'))?.body).toEqual({ n: won.indexOf(true) });
      expect((await documents.get('items', 'slot'))?.position).toBe('');
    });

    it('creates many documents at once, and says for each whether its id was free', async () => {
      for (const n of [3, 7]) await documents.create('items', `d${n}`, { n: -1 });
      const ids = Array.from({ length: 12 }, (_, n) => n % 10);
      const made = await Promise.all(ids.map((id, n) => documents.create('items', `d${id}`, { n })));
      for (const id of Array.from({ length: 10 }, (_, n) => n)) {
        const winners = ids.flatMap((other, n) => (other === id && made[n] ? [n] : []));
        expect(winners).toHaveLength(id === 3 || id === 7 ? 0 : 1);
        expect((await documents.get('items', `d${id}`))?.body).toEqual({ n: winners[0] ?? -1 });
      }
    });

    it('removes many documents at once, each only while it has the given members', async () => {
      for (const n of [0, 1, 2, 3]) await documents.create('items', `d${n}`, { stream: `s${n % 2}` });
      await Promise.all([0, 1, 2, 3, 4].map((n) => documents.remove('items', `d${n}`, { stream: 's0' })));
      expect((await documents.find('items', { limit: 9 })).map(({ id }) => id)).toEqual(['d1', 'd3']);
    });

    it('removes documents that are still being created', async () => {
      const ids = Array.from({ length: 300 }, (_, n) => `brief ${n}`);
      const creating = ids.map((id) => documents.create('items', id, {}));
      await Promise.all([...creating, ...ids.map((id) => documents.remove('items', id))]);
      expect(await documents.count('items')).toBe(0);
    });

    it('replaces and removes only existing documents, and frees the id', async () => {
      expect(await documents.replace('items', 'slot', { n: 1 })).toBe(false);
      await documents.remove('items', 'slot');
      await documents.create('items', 'slot', { n: 1 });
      expect(await documents.replace('items', 'slot', { n: 2 })).toBe(true);
      expect((await documents.get('items', 'slot'))?.body).toEqual({ n: 2 });
      await documents.remove('items', 'slot');
      expect(await documents.get('items', 'slot')).toBeNull();
      expect(await documents.create('items', 'slot', { n: 3 })).toBe(true);
    });

    it('replaces several at once, and returns which of them exist', async () => {
      for (const id of ['a', 'b']) await documents.create('items', id, { n: 1 });
      await write([wrote('written', 1, { n: 1 })], 1);
      const replaced = await documents.replaceMany(
        'items',
        ['a', 'missing', 'b'].map((id) => ({ id, body: { n: 2 } })),
      );
      expect([...replaced].sort()).toEqual(['a', 'b']);
      expect((await documents.getMany('items', ['a', 'b', 'missing'])).map(({ body }) => body)).toEqual([{ n: 2 }, { n: 2 }]);
      expect(await documents.replaceMany('items', [])).toEqual(new Set());
    });

    it('replaces a document only while it has the given members, for one of many', async () => {
      await documents.create('items', 'slot', { stream: 'old', n: 1 });
      expect(await documents.replace('items', 'slot', { n: 2 }, { stream: 'other' })).toBe(false);
      expect(await documents.replace('items', 'slot', { n: 2 }, { stream: 'old', n: 2 })).toBe(false);
      const bodies = Array.from({ length: 20 }, (_, n) => ({ stream: 'new', n }));
      const won = await Promise.all(bodies.map((body) => documents.replace('items', 'slot', body, { stream: 'old', n: 1 })));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect((await documents.get('items', 'slot'))?.body).toEqual(bodies[won.indexOf(true)]);
    });

    it('replaces several at once, each only while it has the given members', async () => {
      for (const id of ['a', 'b']) await documents.create('items', id, { owner: id, n: 1 });
      const replaced = await documents.replaceMany(
        'items',
        ['a', 'b'].map((id) => ({ id, body: { owner: id, n: 2 }, where: { owner: 'a' } })),
      );
      expect([...replaced]).toEqual(['a']);
      expect((await documents.find('items', { limit: 9 })).map(({ body }) => body.n)).toEqual([2, 1]);
    });

    it('removes a document only while it has the given members', async () => {
      await documents.create('items', 'slot', { stream: 'new', n: 1 });
      await documents.remove('items', 'slot', { stream: 'old' });
      await documents.remove('items', 'slot', { stream: 'new', other: 'x' });
      expect((await documents.get('items', 'slot'))?.body).toEqual({ stream: 'new', n: 1 });
      await documents.remove('items', 'slot', { stream: 'new' });
      expect(await documents.get('items', 'slot')).toBeNull();
    });
  });

  describe('find and count', () => {
    beforeEach(async () => {
      const made = [3, 1, 2, 1];
      await write(
        made.map((n, index) =>
          wrote(`d${index}`, index + 1, { owner: index === 3 ? 'v' : 'u', made: n, state: index === 0 ? null : 'on' }),
        ),
        9,
      );
      await write([wrote('e', 10, { owner: 'v', made: 9, flag: true })], 10);
    });

    it('filters by equality, by lists, and by null, which includes missing members', async () => {
      expect(await ids({ where: { owner: 'u' }, limit: 10 })).toEqual(['d0', 'd1', 'd2']);
      expect(await ids({ where: { owner: ['u', 'v'], made: [1, 9] }, limit: 10 })).toEqual(['d1', 'd3', 'e']);
      expect(await ids({ where: { state: null }, limit: 10 })).toEqual(['d0', 'e']);
      expect(await ids({ where: { state: ['on', null], owner: 'v' }, limit: 10 })).toEqual(['d3', 'e']);
      expect(await ids({ where: { owner: [] }, limit: 10 })).toEqual([]);
      expect(await documents.count('items', { owner: 'u' })).toBe(3);
      expect(await documents.count('items')).toBe(5);
    });

    it('orders by members and then by id in the same direction, and pages', async () => {
      expect(await ids({ orderBy: [{ member: 'made', direction: 'asc' }], limit: 10 })).toEqual(['d1', 'd3', 'd2', 'd0', 'e']);
      expect(await ids({ orderBy: [{ member: 'made', direction: 'desc' }], limit: 10 })).toEqual(['e', 'd0', 'd2', 'd3', 'd1']);
      expect(await ids({ orderBy: [{ member: 'made', direction: 'desc' }], skip: 1, limit: 2 })).toEqual(['d0', 'd2']);
      expect(await ids({ skip: 4, limit: 2 })).toEqual(['e']);
    });

    it('filters by a range of texts with both ends inclusive, beside other conditions', async () => {
      const times = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z'];
      await write(
        [...times.map((made, n) => wrote(`t${n}`, 20 + n, { owner: 'w', made })), wrote('gone', 30, { owner: 'w', made: times[1] ?? '' })],
        30,
      );
      await write([wrote('gone', 31, null), wrote('bare', 32, { owner: 'w', made: null })], 32);
      const [first = '', second = '', third = ''] = times;
      expect(await ids({ where: { owner: 'w', made: { from: second } }, limit: 10 })).toEqual(['t1', 't2']);
      expect(await ids({ where: { owner: 'w', made: { to: second } }, limit: 10 })).toEqual(['t0', 't1']);
      expect(await ids({ where: { made: { from: first, to: second } }, limit: 10 })).toEqual(['t0', 't1']);
      expect(await ids({ where: { made: { from: third, to: first } }, limit: 10 })).toEqual([]);
      expect(await documents.count('items', { owner: ['u', 'w'], made: { from: second, to: third } })).toBe(2);
      // Numbers are in no range of texts.
      expect(await ids({ where: { made: { to: '\u{10ffff}' } }, limit: 10 })).toEqual(['t0', 't1', 't2']);
      await expect(ids({ where: { flag: { from: 'a' } }, limit: 1 })).rejects.toThrow('no index');
    });

    it('filters by the texts that a list contains', async () => {
      await write(
        [
          wrote('l1', 20, { owner: 'l', made: ['red', 'big'] }),
          wrote('l2', 21, { owner: 'l', made: ['red', "it's"] }),
          wrote('l3', 22, { owner: 'l' }),
          wrote('gone', 23, { owner: 'l', made: ['red'] }),
        ],
        23,
      );
      await write([wrote('gone', 24, null)], 24);
      expect(await ids({ where: { owner: 'l', made: { all: ['red'] } }, limit: 10 })).toEqual(['l1', 'l2']);
      expect(await ids({ where: { owner: 'l', made: { all: ['big', 'red'] } }, limit: 10 })).toEqual(['l1']);
      expect(await ids({ where: { owner: 'l', made: { all: ["it's"] } }, limit: 10 })).toEqual(['l2']);
      expect(await ids({ where: { owner: 'l', made: { all: ['re'] } }, limit: 10 })).toEqual([]);
      expect(await ids({ where: { owner: 'l', made: { from: '' } }, limit: 10 })).toEqual(['l1', 'l2']);
      expect(await documents.count('items', { made: { all: ['red'] } })).toBe(2);
    });

    it('finds only documents that changed after a position, in the same order', async () => {
      const orderBy = [{ member: 'made', direction: 'asc' }] as const;
      const changedAfter = at(2);
      expect(await ids({ where: { owner: 'u' }, changedAfter, orderBy, limit: 10 })).toEqual(['d2']);
      expect(await ids({ changedAfter, orderBy, skip: 1, limit: 2 })).toEqual(['d2', 'e']);
      expect(await ids({ changedAfter, limit: 10 })).toEqual(['d2', 'd3', 'e']);
      expect(await ids({ where: { owner: 'v' }, changedAfter: '', orderBy, limit: 10 })).toEqual(['d3', 'e']);
    });

    it('sums a member of the documents that match', async () => {
      await documents.ensureCollection({ name: 'items', indexes: [['owner', 'made'], ['state'], ['owner', 'on', 'bytes']] });
      const bytesOf = (owner: string) => documents.sum('items', 'bytes', { owner, on: true });
      expect(await bytesOf('s')).toBe(0);
      await write(
        [wrote('s1', 20, { owner: 's', on: true, bytes: 5_000_000_000 }), wrote('s2', 20, { owner: 's', on: true, bytes: 7 })],
        20,
      );
      await write([wrote('s3', 21, { owner: 's', on: false, bytes: 1 }), wrote('s4', 21, { owner: 's', on: true })], 21);
      expect(await bytesOf('s')).toBe(5_000_000_007);
      await write([wrote('s1', 22, null)], 22);
      expect(await bytesOf('s')).toBe(7);
      await expect(documents.sum('items', 'size', { owner: 's' })).rejects.toThrow('no index');
    });

    it('counts and sums for each value of another member', async () => {
      await documents.ensureCollection({ name: 'items', indexes: [['owner', 'made'], ['state'], ['owner', 'on', 'bytes']] });
      const kept = async () => {
        const found = await documents.sumsBy('items', 'owner', 'bytes', { on: true });
        return Object.fromEntries(found.map(({ value, count, sum }) => [value, [count, sum]]));
      };
      expect(await kept()).toEqual({});
      await write(
        [
          wrote('g1', 20, { owner: 'g', on: true, bytes: 5_000_000_000 }),
          wrote('g2', 20, { owner: 'g', on: true, bytes: 7 }),
          wrote('g3', 20, { owner: 'g', on: false, bytes: 1 }),
          wrote('h1', 20, { owner: 'h', on: true, bytes: 0 }),
          wrote('i1', 20, { owner: 'i', on: false, bytes: 1 }),
        ],
        20,
      );
      expect(await kept()).toEqual({ g: [2, 5_000_000_007], h: [1, 0] });
      await write([wrote('g1', 21, null)], 21);
      expect(await kept()).toEqual({ g: [1, 7], h: [1, 0] });
      await expect(documents.sumsBy('items', 'owner', 'size', {})).rejects.toThrow('no index');
    });

    it('treats values as values, whatever they contain', async () => {
      await write([wrote('x', 20, { owner: `' OR 1=1 --` })], 20);
      expect(await ids({ where: { owner: `' OR 1=1 --` }, limit: 10 })).toEqual(['x']);
    });

    it('refuses members without an index, and invalid paging', async () => {
      await expect(ids({ where: { flag: true }, limit: 1 })).rejects.toThrow('no index');
      await expect(ids({ where: { "owner') = 1 OR 1=1 --": 1 }, limit: 1 })).rejects.toThrow('no index');
      await expect(ids({ orderBy: [{ member: 'flag', direction: 'asc' }], limit: 1 })).rejects.toThrow('no index');
      await expect(ids({ limit: -1 })).rejects.toThrow('limit');
      await expect(ids({ limit: 1, skip: 1.5 })).rejects.toThrow('skip');
    });
  });

  describe('collections', () => {
    it('can be declared twice, with other indexes too, and keep their documents', async () => {
      await write([wrote('a', 1, { owner: 'u', flag: true })], 1);
      await documents.ensureCollection({ name: 'items', indexes: [['flag'], ['owner', 'made']] });
      await documents.ensureCollection({ name: 'items', indexes: [['flag'], ['owner', 'made']] });
      expect(await ids({ where: { flag: true }, limit: 10 })).toEqual(['a']);
      expect(await ids({ where: { flag: false }, limit: 10 })).toEqual([]);
      await expect(ids({ where: { state: 'on' }, limit: 1 })).rejects.toThrow('no index');
    });

    it('can be created and dropped while others are used', async () => {
      await write([wrote('a', 1, { owner: 'u' })], 1);
      await documents.ensureCollection({ name: 'items@2', indexes: [['owner']] });
      await documents.ensureCollection({ name: 'other', indexes: [] });
      await documents.writeBatch('items@2', [wrote('a', 1, { owner: 'w' })], checkpoint(1, 1, 'projection/items@2'));
      expect((await documents.listCollections('items')).sort()).toEqual(['items', 'items@2']);
      await documents.dropCollection('items');
      expect(await documents.listCollections('items')).toEqual(['items@2']);
      expect((await documents.get('items@2', 'a'))?.body).toEqual({ owner: 'w' });
      await documents.ensureCollection({ name: 'items', indexes: [['owner']] });
      expect(await documents.get('items', 'a')).toBeNull();
    });

    it('must have been declared, under a valid name', async () => {
      await expect(documents.get('nowhere', 'a')).rejects.toThrow('nowhere');
      await expect(documents.create('nowhere', 'a', {})).rejects.toThrow('nowhere');
      await expect(documents.ensureCollection({ name: 'a"; DROP TABLE x; --', indexes: [] })).rejects.toThrow('not a collection name');
      await expect(documents.ensureCollection({ name: 'x', indexes: [[`a') --`]] })).rejects.toThrow('not a member name');
    });
  });

  describe('search', () => {
    const SPEC = {
      name: 'texts',
      indexes: [
        ['owner', 'made'],
        ['owner', 'labels', 'made'],
      ],
      fullText: { passages: 'passages', owner: 'owner', newestBy: 'made' },
    };
    let position = 100;
    const store = async (id: string, texts: readonly string[] | null, members: DocumentWrite['body'] = {}) => {
      position += 1;
      const body = texts && { owner: 'u', made: '1', ...members, passages: texts.map((text) => ({ text, kind: 'x' })) };
      await documents.writeBatch('texts', [{ id, position: at(position), body }], checkpoint(position, 1, 'projection/texts@1'));
    };
    const phrases = (texts: readonly string[]) =>
      texts.map((text) => phraseOf(text.replace('*', ''), text.endsWith('*')) ?? { words: [], prefix: false });
    const found = (all: readonly string[], none: readonly string[] = [], where = {}) =>
      documents.search('texts', { query: { all: phrases(all), none: phrases(none) }, where: { owner: 'u', ...where }, limit: 10 });

    beforeEach(async () => {
      await documents.ensureCollection(SPEC);
      await store('call', ['Monday call', 'We will refund you as soon as possible.', 'Soon, I hope.']);
      await store('memo', ['Memo', 'Refunds take a week.']);
    });

    it('finds documents with all words, in any of their texts, and returns them whole', async () => {
      expect(await found(['refund'])).toEqual(['call']);
      expect(await found(['HOPE', 'refund'])).toEqual(['call']);
      expect(await found(['refund', 'week'])).toEqual([]);
      expect((await documents.get('texts', 'memo'))?.body).toEqual({
        owner: 'u',
        made: '1',
        passages: [
          { text: 'Memo', kind: 'x' },
          { text: 'Refunds take a week.', kind: 'x' },
        ],
      });
      expect(await documents.getMany('texts', ['memo'])).toEqual(await documents.find('texts', { skip: 1, limit: 9 }));
    });

    it('finds phrases within one text, beginnings of words, and leaves out exclusions', async () => {
      expect(await found(['as soon as'])).toEqual(['call']);
      expect(await found(['soon as soon'])).toEqual([]);
      expect(await found(['call we'])).toEqual([]);
      expect((await found(['refund*'])).sort()).toEqual(['call', 'memo']);
      expect(await found(['a wee*'])).toEqual(['memo']);
      expect(await found(['refund*'], ['hope'])).toEqual(['memo']);
      expect(await found(['refund*'], ['take a week', 'soon i h*'])).toEqual([]);
    });

    it('compares without case and accents, and finds parts of texts without spaces', async () => {
      await store('accents', ['Crème brûlée, Ωμέγα, ёлка, Straße, Łódź']);
      for (const word of ['creme', 'BRULEE', 'ωμεγα', 'ΩΜΈΓΑ', 'елка', 'strasse', 'lodz']) expect(await found([word])).toEqual(['accents']);
      await store('japanese', ['東京都に行くAI技術です']);
      for (const part of ['東京', '京都に', '都', 'す', 'AI技', '術です']) expect(await found([part])).toEqual(['japanese']);
      for (const part of ['東都', '行京', '技術AI']) expect(await found([part])).toEqual([]);
      await store('thai', ['ภาษาไทยง่ายมาก']);
      expect(await found(['ไทยง่าย'])).toEqual(['thai']);
    });

    it('returns the most relevant first, then the newest', async () => {
      await store('often', ['gold gold gold silver']);
      await store('once', ['gold and copper, silver']);
      expect(await found(['gold'])).toEqual(['often', 'once']);
      for (const made of ['2', '4', '3']) await store(`made ${made}`, ['platinum'], { made });
      expect(await found(['platinum'])).toEqual(['made 4', 'made 3', 'made 2']);
    });

    it('finds only what the other conditions allow, and nothing of another owner', async () => {
      await store('other', ['refund'], { owner: 'v', labels: ['red'] });
      await store('red', ['refund'], { labels: ['red', 'big'], made: '5' });
      expect(await found(['refund'], [], { labels: { all: ['red'] } })).toEqual(['red']);
      expect(await found(['refund'], [], { made: { to: '4' } })).toEqual(['call']);
      expect(await found(['refund'], [], { owner: 'v' })).toEqual(['other']);
      await expect(documents.search('texts', { query: { all: [], none: [] }, where: {}, limit: 1 })).rejects.toThrow('owner');
      await expect(documents.search('items', { query: { all: [], none: [] }, where: {}, limit: 1 })).rejects.toThrow('full text');
    });

    it('finds no former words of a replaced or deleted document, whatever is repeated', async () => {
      await store('call', ['Nothing of it']);
      expect(await found(['refund'])).toEqual([]);
      expect(await found(['nothing'])).toEqual(['call']);
      await documents.writeBatch(
        'texts',
        [wrote('call', 1, { owner: 'u', passages: [{ text: 'refund' }] })],
        checkpoint(1, 1, 'projection/texts@1'),
      );
      expect(await found(['refund'])).toEqual([]);
      await store('call', null);
      expect(await found(['nothing'])).toEqual([]);
      await store('call', ['back again']);
      expect(await found(['again'])).toEqual(['call']);
      await documents.purge();
      expect(await found(['again'])).toEqual(['call']);
    });

    it('starts empty when the collection is dropped and declared again', async () => {
      await documents.dropCollection('texts');
      await documents.ensureCollection(SPEC);
      expect(await found(['refund*'])).toEqual([]);
      await store('new', ['refund']);
      expect(await found(['refund*'])).toEqual(['new']);
    });
  });
};
