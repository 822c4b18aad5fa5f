import { expect, test } from 'vitest';
import { openSlots, type SlotDocuments } from '../../../src/commands/slots/documentSlots.ts';
import { MemoryDocuments } from '../../fakes/memoryDocuments.ts';
import { ManualClock } from '../../manualClock.ts';

const node = (documents: MemoryDocuments, limit = 3) => openSlots({ documents, limit });
/** The documents as a node reaches them whose removals take their time. */
class HeldRemovals implements SlotDocuments {
  readonly #documents: SlotDocuments;
  go = (): void => {};
  #ask = (): void => {};
  readonly #gone = new Promise<void>((resolve) => {
    this.go = resolve;
  });
  /** Resolves when a removal is on its way. */
  readonly asked = new Promise<void>((resolve) => {
    this.#ask = resolve;
  });

  constructor(documents: SlotDocuments) {
    this.#documents = documents;
  }

  ensureCollection = (...args: Parameters<SlotDocuments['ensureCollection']>) => this.#documents.ensureCollection(...args);
  create = (...args: Parameters<SlotDocuments['create']>) => this.#documents.create(...args);
  find = (...args: Parameters<SlotDocuments['find']>) => this.#documents.find(...args);
  count = (...args: Parameters<SlotDocuments['count']>) => this.#documents.count(...args);

  async remove(...args: Parameters<SlotDocuments['remove']>): Promise<void> {
    this.#ask();
    await this.#gone;
    await this.#documents.remove(...args);
  }
}

const took = (answers: boolean[]) => answers.filter(Boolean).length;

test('gives a user as many slots as the limit, and another when one is free', async () => {
  const slots = node(new MemoryDocuments());
  expect([await slots.take('u', 'a'), await slots.take('u', 'b'), await slots.take('u', 'c'), await slots.take('u', 'd')]).toEqual([
    true,
    true,
    true,
    false,
  ]);
  await slots.free('u', 'b');
  expect([await slots.take('u', 'd'), await slots.take('u', 'e')]).toEqual([true, false]);
});

test('limits each user separately', async () => {
  const slots = node(new MemoryDocuments(), 1);
  expect([await slots.take('u', 'a'), await slots.take('v', 'b')]).toEqual([true, true]);
});

test('holds the limit when two nodes take many slots at once', async () => {
  const documents = new MemoryDocuments();
  const nodes = [node(documents, 10), node(documents, 10)];
  const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => nodes[i % 2]?.take('u', `s${i}`) ?? false));
  expect(took(answers)).toBe(10);
  expect(documents.documents.size).toBe(10);
});

test('reuses a slot that another node has freed', async () => {
  const documents = new MemoryDocuments();
  const [one, other] = [node(documents, 1), node(documents, 1)];
  await one.take('u', 'a');
  await other.free('u', 'a');
  expect(await one.take('u', 'b')).toBe(true);
});

test('does not free a slot that another stream now holds', async () => {
  const documents = new MemoryDocuments();
  const [one, other] = [node(documents, 1), node(documents, 1)];
  await one.take('u', 'a');
  await other.free('u', 'a');
  await other.take('u', 'b');
  await one.free('u', 'a');
  expect(await other.list()).toEqual([{ subject: 'u', holder: 'b' }]);
});

test('does not free a slot that another node freed and another stream took meanwhile', async () => {
  const documents = new MemoryDocuments();
  const held = new HeldRemovals(documents);
  const [one, other] = [node(documents, 1), openSlots({ documents: held, limit: 1 })];
  await one.take('u', 'a');
  const freed = other.free('u', 'a');
  await held.asked;
  await one.free('u', 'a');
  await one.take('u', 'b');
  held.go();
  await freed;
  expect(await one.list()).toEqual([{ subject: 'u', holder: 'b' }]);
});

test('ignores a slot that was freed before or never taken', async () => {
  const slots = node(new MemoryDocuments());
  await slots.take('u', 'a');
  await slots.free('u', 'a');
  await slots.free('u', 'a');
  await slots.free('u', 'z');
  expect(await slots.list()).toEqual([]);
});

test('frees one of two slots that a stream took', async () => {
  const slots = node(new MemoryDocuments());
  await slots.take('u', 'a');
  await slots.take('u', 'a');
  await slots.free('u', 'a');
  expect(await slots.list()).toEqual([{ subject: 'u', holder: 'a' }]);
});

test('gives a running stream without a slot one again, once, even above the limit', async () => {
  const documents = new MemoryDocuments();
  const slots = node(documents, 1);
  const runs = (...running: string[]) => ({ ended: [], running, stillRuns: async () => true });
  await slots.keep('u', runs('a'));
  await slots.keep('u', runs('a', 'b'));
  await node(documents, 1).keep('u', runs('b'));
  expect((await slots.list()).map(({ holder }) => holder)).toEqual(['a', 'b']);
  expect(await slots.take('u', 'c')).toBe(false);
});

test('finds a free slot among a thousand without trying each', async () => {
  const documents = new MemoryDocuments();
  const slots = node(documents, 1_000);
  for (let i = 0; i < 990; i++) await slots.take('u', `s${i}`);
  const fresh = node(documents, 1_000);
  documents.creates = 0;
  documents.calls = 0;
  expect([await slots.take('u', 'x'), await fresh.take('u', 'y')]).toEqual([true, true]);
  expect(documents.creates).toBeLessThanOrEqual(3);
  expect(documents.calls).toBeLessThanOrEqual(5);
});

test('reserves nothing if the store fails', async () => {
  const documents = new MemoryDocuments();
  const slots = node(documents, 1);
  const create = documents.create.bind(documents);
  documents.create = () => Promise.reject(new Error('away'));
  await expect(slots.take('u', 'a')).rejects.toThrow('away');
  documents.create = create;
  expect(await slots.take('u', 'a')).toBe(true);
});

test('frees only the slot of its own node when two nodes took one for the same stream', async () => {
  const documents = new MemoryDocuments();
  const [one, other] = ['one', 'other'].map((name) => openSlots({ documents, limit: 3, node: async () => name }));
  await one?.take('u', 'a');
  await other?.take('u', 'a');
  await other?.free('u', 'a');
  expect([await one?.takenBy('one'), await one?.takenBy('other')]).toEqual([[{ subject: 'u', holder: 'a' }], []]);
});

test('checks any number of streams with one query, and gives no slot to a stream that has ended', async () => {
  const documents = new MemoryDocuments();
  const [one, other] = [node(documents, 100), node(documents, 100)];
  for (const streamId of ['a', 'b', 'c']) await one.take('u', streamId);
  expect(await other.remaining('u')).toBe(97);
  let looks = 0;
  const find = documents.find.bind(documents);
  documents.find = (...given) => {
    looks += 1;
    return find(...given);
  };
  const unknown = Array.from({ length: 50 }, (_, n) => `unknown ${n}`);
  const running = ['b', 'lost', 'ended since'];
  await other.keep('u', { ended: ['a', ...unknown], running, stillRuns: async (streamId) => streamId !== 'ended since' });
  expect(looks).toBe(1);
  expect((await other.list()).map(({ holder }) => holder).sort()).toEqual(['b', 'c', 'lost']);
});

test('bounds the streams of all users at all nodes, and counts the slots of other nodes again before it refuses', async () => {
  const documents = new MemoryDocuments();
  const clock = new ManualClock();
  const [here, there] = [1, 2].map(() => openSlots({ documents, limit: 9, total: { limit: 3, clock } }));
  if (!here || !there) throw new Error('no nodes');
  for (const holder of ['a', 'b']) expect(await here.take('u', holder)).toBe(true);
  expect(await there.take('v', 'c')).toBe(true);
  await clock.advance(11_000);
  // Both begin to count the other's slots.
  for (const slots of [here, there]) await slots.refuseAboveTotal().catch(() => undefined);
  await clock.advance(0);
  for (const slots of [here, there]) await expect(slots.take('w', 'd')).rejects.toThrow('MAX_RUNNING_STREAMS');
  await expect(there.refuseAboveTotal()).rejects.toThrow('MAX_RUNNING_STREAMS');
  await here.free('u', 'a');
  expect(await there.take('w', 'd')).toBe(true);
});

test('holds the limit of all users when a node takes many slots at once', async () => {
  const slots = openSlots({ documents: new MemoryDocuments(), limit: 9, total: { limit: 3, clock: new ManualClock() } });
  const taking = Array.from({ length: 8 }, (_, n) => slots.take(`user ${n}`, 'a').catch(() => false));
  expect(took(await Promise.all(taking))).toBe(3);
});

test('counts the slots of all users every ten seconds at most while there is room', async () => {
  const documents = new MemoryDocuments();
  const clock = new ManualClock();
  let counts = 0;
  const counted = Object.assign(Object.create(documents), {
    count: async (...args: Parameters<SlotDocuments['count']>) => {
      counts += 1;
      return documents.count(...args);
    },
  });
  const slots = openSlots({ documents: counted, limit: 99, total: { limit: 1_000, clock } });
  for (let n = 0; n < 20; n += 1) {
    await slots.take('u', `s${n}`);
    await clock.advance(1_000);
  }
  expect(counts).toBe(2);
});
