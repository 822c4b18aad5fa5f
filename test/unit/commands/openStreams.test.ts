import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openExpiries } from '../../../src/commands/openStreams/expiries.ts';
import { LoneRunning } from '../../../src/commands/openStreams/loneRunning.ts';
import { OPEN_STREAMS, type RunningStreams, ServerFull } from '../../../src/commands/openStreams/openStreams.ts';
import { SharedRunning } from '../../../src/commands/openStreams/sharedRunning.ts';
import { takeOverOpenStreams } from '../../../src/commands/openStreams/takeOver.ts';
import { openEmbeddedDocuments } from '../../../src/stores/embedded/documents.ts';
import { type Position, StoreUnavailable } from '../../../src/stores/eventStore.ts';
import { MemoryDocuments } from '../../fakes/memoryDocuments.ts';
import { ManualClock } from '../../manualClock.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { documentsWriterInThread } from '../../writersInThread.ts';

const holders = async (running: RunningStreams, owner?: string) => (await running.running(owner)).map(({ holder }) => holder).sort();

const rig = (limit = 2, totalLimit = 100) => {
  const documents = new MemoryDocuments();
  const clock = new ManualClock();
  const lone = () => new LoneRunning({ documents, clock, limit, totalLimit });
  const shared = (node = 'one') => new SharedRunning({ documents, clock, limit, totalLimit, node: async () => node });
  return { documents, clock, lone, shared };
};

describe.each(['lone', 'shared'] as const)('the running streams of a %s node', (form) => {
  test('are as many as the limit of each user, until one has ended', async () => {
    const running = rig()[form]();
    for (const holder of ['1', '2']) expect(await running.reserve('a', holder)).not.toBeNull();
    expect([await running.reserve('a', '3'), await running.isFull('a'), await running.remaining('a')]).toEqual([null, true, 0]);
    expect(await running.reserve('b', '4')).not.toBeNull();
    await running.release('a', '1');
    expect([await running.isFull('a'), await running.remaining('a')]).toEqual([false, 1]);
    expect(await holders(running, 'a')).toEqual(['2']);
  });

  test('hold the limits in a burst', async () => {
    const running = rig(2, 3)[form]();
    const all = await Promise.allSettled(['1', '2', '3', '4'].map((holder) => running.reserve('a', holder)));
    expect(all.filter((one) => one.status === 'fulfilled' && one.value !== null)).toHaveLength(2);
    await running.reserve('b', '5');
    await expect(running.reserve('c', '6')).rejects.toThrow(ServerFull);
    await expect(running.refuseAboveTotal()).rejects.toThrow(ServerFull);
  });

  test('give a place back if the stream does not come, but not the place of another request for the same stream', async () => {
    const { documents, ...forms } = rig();
    const running = forms[form]();
    const first = await running.reserve('a', '1');
    const second = await running.reserve('a', '1');
    await second?.();
    expect(await holders(running)).toEqual(['1']);
    await first?.();
    await first?.();
    expect([await holders(running), await running.remaining('a'), documents.documents.size]).toEqual([[], 2, 0]);
  });

  test('share the place of a stream that already has one, also at the limits', async () => {
    const running = rig(1, 1)[form]();
    await running.reserve('a', '1');
    const again = await running.reserve('a', '1');
    await again?.();
    expect([again === null, await holders(running)]).toEqual([false, ['1']]);
  });

  test('get a place for a stream that runs according to the log, once, even above the limit', async () => {
    const running = rig(1)[form]();
    await running.reserve('a', '1');
    const streams = ['1', '2', '3'].map((holder) => ({ owner: 'a', holder }));
    for (let n = 0; n < 2; n++) await running.ensure(streams, async (holder) => holder !== '3');
    expect(await holders(running)).toEqual(['1', '2']);
    expect(await running.reserve('a', '4')).toBeNull();
  });

  test('survive a restart once they are stored', async () => {
    const { [form]: open } = rig();
    const before = open();
    for (const holder of ['1', '2#3']) await before.reserve('a', holder);
    await before.store();
    const after = open();
    expect(await holders(after)).toEqual(['1', '2#3']);
    expect(await after.reserve('a', '4')).toBeNull();
    await after.release('a', '1');
    expect(await holders(open())).toEqual(['2#3']);
  });

  test('reserve nothing if the store fails', async () => {
    const { documents, ...forms } = rig();
    const running = forms[form]();
    const { create, find, count } = documents;
    const away = () => Promise.reject(new StoreUnavailable('away'));
    Object.assign(documents, { create: away, find: away, count: away });
    await expect(running.reserve('a', '1')).rejects.toThrow(StoreUnavailable);
    Object.assign(documents, { create, find, count });
    expect(await running.remaining('a')).toBe(2);
  });
});

describe('the running streams of a lone node', () => {
  test('cost no document if they end before they are stored', async () => {
    const { documents, lone } = rig();
    const running = lone();
    await running.reserve('a', '1');
    await running.release('a', '1');
    await running.store();
    expect(documents.creates).toBe(0);
  });

  test('leave no document if they end while it is stored', async () => {
    const { documents, lone } = rig();
    const running = lone();
    await running.reserve('a', '1');
    await Promise.all([running.store(), running.release('a', '1')]);
    expect(documents.documents.size).toBe(0);
  });
});

describe('the running streams of nodes that share their stores', () => {
  test('are not forgotten by a count that is read before their documents are stored', async () => {
    const { documents, shared } = rig();
    const running = shared();
    const store = documents.create.bind(documents);
    const waiting: (() => void)[] = [];
    documents.create = async (...document) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return store(...document);
    };
    const first = ['1', '2'].map((holder) => running.reserve('a', holder));
    await expect.poll(() => waiting.length).toBe(2);
    expect(await running.reserve('a', '3')).toBeNull();
    for (const proceed of waiting) proceed();
    expect(await Promise.all(first)).not.toContain(null);
    expect(await running.reserve('a', '4')).toBeNull();
  });

  test('are counted together, a second later or before a refusal', async () => {
    const { clock, shared } = rig();
    const [one, other] = [shared('one'), shared('other')];
    expect(await other.remaining('a')).toBe(2);
    for (const holder of ['1', '2']) await one.reserve('a', holder);
    await clock.advance(1_001);
    expect(await other.reserve('a', '3')).toBeNull();
    await other.release('a', '1');
    expect(await one.reserve('a', '4')).not.toBeNull();
    expect((await one.takenBy('one')).map(({ holder }) => holder).sort()).toEqual(['2', '4']);
  });

  test('free one place when one is released twice', async () => {
    const running = rig().shared();
    for (const holder of ['1', '2']) await running.reserve('a', holder);
    for (let n = 0; n < 2; n++) await running.release('a', '1');
    expect(await running.remaining('a')).toBe(1);
    expect(await running.reserve('a', '1')).not.toBeNull();
    await running.release('a', '1');
    expect(await running.remaining('a')).toBe(1);
  });

  test('are counted again at once after a count that failed', async () => {
    const { documents, shared } = rig(2, 2);
    for (const holder of ['1', '2']) await shared('other').reserve('a', holder);
    const { count } = documents;
    const running = shared('one');
    documents.count = () => Promise.reject(new StoreUnavailable('away'));
    await expect(running.remaining('a')).rejects.toThrow(StoreUnavailable);
    await expect(running.refuseAboveTotal()).rejects.toThrow(StoreUnavailable);
    documents.count = count;
    expect(await running.remaining('a')).toBe(0);
    await expect(running.refuseAboveTotal()).rejects.toThrow(ServerFull);
  });
});

const stored = async () => {
  const documents = await openEmbeddedDocuments({
    startWriter: documentsWriterInThread,
    file: join(temporaryDirectory(), 'views.db'),
    durability: 'NORMAL',
  });
  onTestFinished(() => documents.close());
  return documents;
};

test('an earlier version is taken over with its running and its ended streams, and continues where both of its policies were', async () => {
  const documents = await stored();
  const clock = new ManualClock();
  for (const name of ['slots', 'runs', 'expiries', 'consumers']) await documents.ensureCollection({ name, indexes: [] });
  await documents.create('slots', 'a/slot/0', { subject: 'a', streamId: '1', node: 'one' });
  await documents.create('slots', 'a/slot/7', { subject: 'a', streamId: '2#3' });
  // It has ended, and its slot was not free yet.
  await documents.create('slots', 'a/slot/8', { subject: 'a', streamId: '4' });
  await documents.create('runs', '1', { since: 5 });
  await documents.create('expiries', '4', { retention: 'persistent', since: 7, correlationId: 'c' });
  await documents.create('expiries', '5', { retention: 'deleted', since: 9 });
  for (const [name, position] of Object.entries({ completion: '0002', retention: '0001', processors: '0003' }))
    await documents.writeBatch('consumers', [], { name: `consumer/${name}`, position: position as Position, epoch: 7 });
  await documents.ensureCollection(OPEN_STREAMS);
  for (let n = 0; n < 2; n++) await takeOverOpenStreams(documents, clock);
  const running = new LoneRunning({ documents, clock, limit: 10, totalLimit: 10 });
  expect(await running.running()).toEqual([
    { owner: 'a', holder: '1', since: clock.now() },
    { owner: 'a', holder: '2#3', since: clock.now() },
  ]);
  expect((await documents.get(OPEN_STREAMS.name, '1'))?.body.node).toBe('one');
  const expiries = openExpiries(documents);
  expect(await expiries.earliest('persistent', 10)).toEqual([{ streamId: '4', retention: 'persistent', since: 7, correlationId: 'c' }]);
  expect(await expiries.earliest('deleted', 10)).toEqual([{ streamId: '5', retention: 'deleted', since: 9 }]);
  expect((await documents.readCheckpoint('consumer/openStreams'))?.position).toBe('0001');
  for (const name of ['slots', 'runs', 'expiries']) expect(await documents.listCollections(name)).toEqual([]);
});

test('a requested deletion stays when a failed expiry changes the time of its stream', async () => {
  const documents = await stored();
  await documents.ensureCollection(OPEN_STREAMS);
  const expiries = openExpiries(documents);
  const due = { streamId: '1', retention: 'ephemeral', since: 1 } as const;
  await expiries.note(due);
  await expiries.change({ ...due, since: 2 }, 'ephemeral');
  expect(await expiries.earliest('ephemeral', 10)).toEqual([{ ...due, since: 2 }]);
  await expiries.replace({ streamId: '1', retention: 'deleted', since: 3 });
  await expiries.change({ ...due, since: 4 }, 'ephemeral');
  expect(await expiries.earliest('ephemeral', 10)).toEqual([]);
  expect(await expiries.earliest('deleted', 10)).toEqual([{ streamId: '1', retention: 'deleted', since: 3 }]);
});
