import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { JsonObject } from '../../src/json.ts';
import { silentLogger } from '../../src/logger.ts';
import { type Documents, type DocumentWrite, StaleEpoch, type WriteOptions } from '../../src/stores/documents.ts';
import type { Position } from '../../src/stores/eventStore.ts';
import { openKeys } from '../../src/stores/keys/openKeys.ts';
import { openMongo } from '../../src/stores/mongodb/connection.ts';
import { openMongoDocuments } from '../../src/stores/mongodb/documents.ts';
import { anyMongo } from '../fakes/mongodb/anyMongo.ts';
import { documentsContract } from './documents.ts';
import { leasesContract } from './leases.ts';

const server = await anyMongo();

const connect = async (url: string) => {
  const mongo = await openMongo({ url, logger: silentLogger });
  onTestFinished(() => mongo.close());
  return mongo;
};
const open = async (url: string, prefix = 'views') => openMongoDocuments({ mongo: await connect(url), prefix });

const at = (position: number): Position => String(position).padStart(20, '0') as Position;
const checkpoint = (position: number) => ({ name: 'projection/items@1', position: at(position), epoch: 1 });

describe.skipIf(!server.isHere)('documents on MongoDB', () => {
  documentsContract(() => open(server.freshUrl()));

  const items = async (url = server.freshUrl()) => {
    const documents = await open(url);
    await documents.ensureCollection({ name: 'items', indexes: [['owner', 'made'], ['made']] });
    return documents;
  };

  it('return any JSON unchanged, whatever its members are called', async () => {
    const documents = await items();
    const hostile = fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('$set', 'a.b', '__proto__', '_id', '', '\0')), fc.jsonValue(), {
      maxKeys: 5,
    });
    let n = 0;
    await fc.assert(
      fc.asyncProperty(hostile, async (given) => {
        const body: JsonObject = JSON.parse(JSON.stringify(given));
        n += 1;
        await documents.create('items', `d${n}`, body);
        expect((await documents.get('items', `d${n}`))?.body).toStrictEqual(body);
      }),
      { numRuns: 60, examples: [[{ lone: '\ud800', deep: JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`) }]] },
    );
  });

  it('are found by an index that another node has added since', async () => {
    const url = server.freshUrl();
    const [node, upgraded] = [await items(url), await open(url)];
    await node.create('items', 'd', { owner: 'u', made: 1, own: true });
    expect(await upgraded.findIds('items', { where: { owner: 'u' }, limit: 1 })).toEqual(['d']);
    await expect(upgraded.findIds('items', { where: { own: true }, limit: 1 })).rejects.toThrow('no index');
    await node.ensureCollection({ name: 'items', indexes: [['owner', 'made'], ['made'], ['own']] });
    expect(await upgraded.findIds('items', { where: { own: true }, limit: 1 })).toEqual(['d']);
    expect(await upgraded.count('items', { own: true })).toBe(1);
  });

  it('keep the newest version of each, whatever batches are repeated, late or concurrent', async () => {
    const histories = fc.array(fc.record({ id: fc.integer({ min: 0, max: 5 }), deleted: fc.boolean() }), { minLength: 1, maxLength: 30 });
    // Batches of the history, any number of times, in any order; each by one writer or by both at once.
    const replays = fc.array(fc.record({ from: fc.nat(29), count: fc.integer({ min: 1, max: 12 }), both: fc.boolean() }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(histories, replays, async (history, replayed) => {
        const url = server.freshUrl();
        const writers = [await items(url), await items(url)];
        const written = history.map(
          ({ id, deleted }, n): DocumentWrite => ({ id: `d${id}`, position: at(n), body: deleted ? null : { made: n } }),
        );
        const batches = [...replayed, { from: 0, count: history.length, both: true }, ...replayed];
        for (const [n, { from, count, both }] of batches.entries()) {
          const batch = written.slice(from, from + count);
          const by = both ? writers : writers.slice(n % 2, (n % 2) + 1);
          await Promise.all(by.map((documents) => documents.writeBatch('items', batch, checkpoint(history.length))));
        }
        const newest = new Map(written.map((write) => [write.id, write]));
        const expected = [...newest.values()].filter(({ body }) => body !== null).sort((a, b) => a.id.localeCompare(b.id));
        expect(await writers[0]?.find('items', { limit: 100 })).toEqual(expected);
      }),
      { numRuns: 12 },
    );
  });

  it('let one node win when two create the same documents at once', async () => {
    const url = server.freshUrl();
    const writers: Documents[] = [await items(url), await items(url), await items(url)];
    for (let position = 0; position < 100; position += 20) {
      const batch = Array.from({ length: 20 }, (_, n) => ({ id: `d${position + n}`, position: at(position), body: { made: position } }));
      // From both ends, so that they meet.
      const orders = [batch, batch.toReversed(), batch];
      await Promise.all(writers.map((documents, n) => documents.writeBatch('items', orders[n] ?? [], checkpoint(position))));
    }
    expect(await writers[0]?.count('items')).toBe(100);
  });

  it('of several kinds can share a database', async () => {
    const url = server.freshUrl();
    const [views, vault] = [await open(url, 'views'), await open(url, 'vault')];
    for (const documents of [views, vault]) await documents.ensureCollection({ name: 'items', indexes: [] });
    await vault.create('items', 'a', {});
    expect(await views.get('items', 'a')).toBeNull();
    await views.dropCollection('items');
    expect(await vault.listCollections('')).toEqual(['items']);
    expect(await views.listCollections('')).toEqual([]);
  });

  it('drop a collection again that a late batch has recreated, and refuse the batch', async () => {
    const url = server.freshUrl();
    const [mongo, late, other] = [await connect(url), await items(url), await items(url)];
    await late.writeBatch('items', [{ id: 'a', position: at(1), body: { owner: 'u' } }], checkpoint(1));
    await other.dropCollection('items');
    await other.deleteCheckpoint(checkpoint(1).name);
    const writing = late.writeBatch('items', [{ id: 'b', position: at(2), body: { owner: 'u' } }], checkpoint(2));
    await expect(writing).rejects.toThrow(StaleEpoch);
    const names = (await mongo.database.listCollections().toArray()).map(({ name }) => name);
    expect(names).not.toContain('views.doc.items');
    expect(await other.readCheckpoint(checkpoint(1).name)).toBeNull();
  });

  it('drop at the start a build that a killed process wrote to after it was dropped, and nothing else', async () => {
    const url = server.freshUrl();
    const [mongo, documents] = [await connect(url), await items(url)];
    await documents.create('items', 'kept', {});
    const written = ['views.doc.streams@1.2', 'views.doc.slots', 'vault.doc.vault', 'vault.doc.old@1'];
    for (const name of written) await mongo.database.collection<{ _id: string }>(name).insertOne({ _id: 'written' });
    const again = await open(url, 'views');
    const left = (await mongo.database.listCollections().toArray()).map(({ name }) => name);
    expect(written.filter((name) => left.includes(name))).toEqual(written.slice(1));
    expect((await again.get('items', 'kept'))?.body).toEqual({});
  });

  it('drop the descending indexes of earlier versions, and no others', async () => {
    const url = server.freshUrl();
    const mongo = await connect(url);
    const spec = { name: 'items', indexes: [['owner', 'made']] };
    await (await open(url)).ensureCollection(spec);
    const collection = mongo.database.collection('views.doc.items');
    await collection.createIndex({ 'keys.owner': 1, 'keys.made': -1, _id: 1 }, { name: 'by owner, made downwards' });
    await collection.createIndex({ 'keys.made': -1 }, { name: 'mine' });
    await mongo.database.collection<{ _id: string }>('views.collections').updateOne({ _id: 'items' }, { $set: { form: 2 } });
    const documents = await open(url);
    await documents.ensureCollection(spec);
    const names = (await collection.indexes()).map(({ name }) => name).sort();
    expect(names).toEqual(['_id_', 'by gone', 'by owner, made', 'mine']);
    for (const n of [1, 2]) await documents.create('items', `d${n}`, { owner: 'u', made: 1 });
    const newest = { where: { owner: 'u' }, orderBy: [{ member: 'made', direction: 'desc' }], limit: 2 } as const;
    expect(await documents.findIds('items', newest)).toEqual(['d2', 'd1']);
  });

  it("leave an operator's index alone, even with the same keys or name", async () => {
    const url = server.freshUrl();
    const mongo = await connect(url);
    const documents = await open(url);
    await documents.ensureCollection({ name: 'items', indexes: [] });
    const collection = mongo.database.collection('views.doc.items');
    await collection.createIndex({ 'keys.owner': 1, _id: 1 }, { name: 'mine' });
    await collection.createIndex({ 'keys.other': 1 }, { name: 'by made' });
    await documents.ensureCollection({ name: 'items', indexes: [['owner'], ['made']] });
    await documents.create('items', 'a', { owner: 'u', made: 1 });
    expect(await documents.find('items', { where: { owner: 'u', made: 1 }, limit: 1 })).toHaveLength(1);
    await documents.ensureCollection({ name: 'items', indexes: [] });
    expect((await collection.indexes()).map(({ name }) => name)).toContain('mine');
  });

  it('find texts of any length by equality, and accept a text of 9 MB', async () => {
    const documents = await items();
    const [long, other] = ['x'.repeat(5_000), `${'x'.repeat(4_999)}y`];
    await documents.create('items', 'long', { owner: long });
    await documents.create('items', 'other', { owner: other });
    await documents.create('items', 'huge', { owner: 'u', made: 1, text: 'z'.repeat(9_000_000) });
    expect((await documents.find('items', { where: { owner: long }, limit: 10 })).map(({ id }) => id)).toEqual(['long']);
    await documents.remove('items', 'other', { owner: long });
    expect(await documents.get('items', 'other')).not.toBeNull();
    await documents.remove('items', 'other', { owner: other });
    expect(await documents.get('items', 'other')).toBeNull();
    expect((await documents.get('items', 'huge'))?.body.text).toHaveLength(9_000_000);
  });

  it('accept a text with more different words than a document can hold, and find the first ones', async () => {
    const documents = await open(server.freshUrl());
    const fullText = { passages: 'passages', owner: 'owner', newestBy: 'made' };
    await documents.ensureCollection({ name: 'texts', indexes: [['owner', 'made']], fullText });
    const text = Array.from({ length: 400_000 }, (_, n) => `w${n}`).join(' ');
    const body = { owner: 'u', made: '1', passages: [{ text }] };
    await documents.writeBatch('texts', [{ id: 'long', position: at(1), body }], checkpoint(1));
    const query = { all: [{ words: ['w1000'], prefix: false }], none: [] };
    expect(await documents.search('texts', { query, where: { owner: 'u' }, limit: 1 })).toEqual(['long']);
  });

  it('write every document of a build that was dropped and started again under the same name', async () => {
    const url = server.freshUrl();
    const [late, other] = [await items(url), await items(url)];
    const write = { id: 'a', position: at(5), body: { owner: 'u' } };
    await late.writeBatch('items', [write], { ...checkpoint(5), epoch: 1 });
    await other.dropCollection('items');
    await other.deleteCheckpoint(checkpoint(5).name);
    await other.ensureCollection({ name: 'items', indexes: [['owner', 'made'], ['made']] });
    await late.getMany('items', []);
    await late.writeBatch('items', [write], { ...checkpoint(5), epoch: 3 });
    expect((await other.get('items', 'a'))?.body).toEqual({ owner: 'u' });
  });

  it('do not read again what the caller has just read or written, and write simultaneous checkpoints together', async () => {
    const mongo = await connect(server.freshUrl('monitorCommands=true'));
    const documents = await openMongoDocuments({ mongo, prefix: 'views' });
    for (const name of ['one', 'two', 'three']) await documents.ensureCollection({ name, indexes: [] });
    const batch = async (name: string, position: number, options?: WriteOptions) => {
      await documents.getMany(name, ['a', 'b']);
      const writes = ['a', 'b'].map((id) => ({ id, position: at(position), body: { position } }));
      await documents.writeBatch(name, writes, { ...checkpoint(position), name: `projection/${name}` }, options);
    };
    await Promise.all(['one', 'two', 'three'].map((name) => batch(name, 1)));
    const commands: string[] = [];
    mongo.database.client.on('commandStarted', ({ commandName, command }) => commands.push(`${commandName} ${command[commandName]}`));
    await batch('one', 2);
    expect(commands).toEqual(['find views.doc.one', 'update views.doc.one', 'update views.checkpoints']);
    commands.length = 0;
    await Promise.all(
      ['one', 'two', 'three'].map((name) => documents.writeBatch(name, [], { ...checkpoint(3), name: `projection/${name}` })),
    );
    expect(commands).toEqual(['update views.checkpoints']);
    commands.length = 0;
    await batch('one', 4, { checkpointLater: true });
    expect(commands).toEqual(['find views.doc.one', 'update views.doc.one']);
    expect(await documents.readCheckpoint('projection/one')).toMatchObject({ position: at(3) });
  });

  it('are counted without tombstones, including those of earlier versions', async () => {
    const url = server.freshUrl();
    const mongo = await connect(url);
    const documents = await items(url);
    const writes = ['a', 'b', 'c'].map((id, n) => ({ id, position: at(n), body: id === 'c' ? null : {} }));
    await documents.writeBatch('items', writes, checkpoint(3));
    expect(await documents.count('items')).toBe(2);
    const [records, specs] = ['views.doc.items', 'views.collections'].map((name) => mongo.database.collection<{ _id: string }>(name));
    await records?.updateMany({}, { $unset: { gone: '' } });
    await specs?.updateMany({}, { $unset: { form: '' } });
    expect(await (await items(url)).count('items')).toBe(2);
  });

  it('are counted by indexes, without reading them', async () => {
    const mongo = await connect(server.freshUrl('monitorCommands=true'));
    const documents = await openMongoDocuments({ mongo, prefix: 'views' });
    await documents.ensureCollection({ name: 'items', indexes: [] });
    const sent: unknown[] = [];
    mongo.database.client.on('commandStarted', ({ command }) => sent.push([command.pipeline?.[0], command.hint]));
    await documents.count('items');
    expect(sent).toEqual([
      [{ $match: {} }, '_id_'],
      [{ $match: { gone: true } }, undefined],
    ]);
  });

  it('are found by an index that was added later', async () => {
    const documents = await open(server.freshUrl());
    await documents.ensureCollection({ name: 'items', indexes: [] });
    await documents.writeBatch('items', [{ id: 'a', position: at(1), body: { owner: 'u', made: 1 } }], checkpoint(1));
    await documents.ensureCollection({ name: 'items', indexes: [['owner', 'made']] });
    expect(await documents.find('items', { where: { owner: 'u' }, limit: 1 })).toHaveLength(1);
  });

  it('keep the keys of all nodes in one vault, unreadable without the master key', async () => {
    const mongo = await connect(server.freshUrl());
    const masterKey = Buffer.alloc(32, 7);
    const node = async () => openKeys({ vault: await openMongoDocuments({ mongo, prefix: 'vault' }), masterKey, clock: systemClock });
    const [a, b] = [await node(), await node()];
    const keys = await Promise.all([a, b].map((node) => node.subjectKey('somebody', { create: true })));
    expect(keys[0]?.equals(keys[1] ?? Buffer.alloc(0))).toBe(true);
    for (const { name } of await mongo.database.listCollections().toArray()) {
      const stored = JSON.stringify(await mongo.database.collection(name).find().toArray());
      for (const encoding of ['base64', 'base64url', 'hex'] as const) expect(stored).not.toContain(keys[0]?.toString(encoding));
    }
    const wrong = openKeys({
      vault: await openMongoDocuments({ mongo, prefix: 'vault' }),
      masterKey: Buffer.alloc(32, 8),
      clock: systemClock,
    });
    await expect(wrong).rejects.toThrow('another master key');
  });
});

describe.skipIf(!server.isHere)('leases on MongoDB', () => {
  // One connection, so that requests run in order.
  leasesContract(() => open(server.freshUrl('maxPoolSize=1')));
});
