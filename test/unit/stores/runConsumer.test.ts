import { describe, expect, it, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { silentLogger } from '../../../src/logger.ts';
import type { Consumer } from '../../../src/stores/consumers/consumer.ts';
import { runConsumer } from '../../../src/stores/consumers/runConsumer.ts';
import { DamagedEventStream } from '../../../src/stores/eventStore.ts';
import type { RecordedEvent } from '../../../src/stores/log/eventLog.ts';
import { eventually } from '../../eventually.ts';
import { openPlatform, type Platform } from '../projections/node.ts';

const follow = (platform: Platform, handle: Consumer['handle'], clock: Clock = systemClock, settle?: () => Promise<void>) => {
  const ending = new AbortController();
  const consumer = { name: 'test', types: ['Added'], handle, ...(settle && { settle }) };
  const ended = runConsumer({ ...platform, clock, logger: silentLogger }, consumer, ending.signal);
  const stop = async () => {
    ending.abort();
    await ended;
  };
  onTestFinished(stop);
  return { stop };
};

/** Collects what was added, and says when a batch is refused. */
const collecting = (refuse: (batch: number[]) => boolean = () => false) => {
  const seen: number[] = [];
  const handle = async (events: readonly RecordedEvent[]) => {
    const batch = events.map(({ data }) => (data as { by: number }).by);
    if (refuse(batch)) throw new Error('refused');
    seen.push(...batch);
  };
  return { seen, handle };
};

const add = async ({ append }: Platform, from: number, to: number) => {
  for (let n = from; n < to; n++) await append(`account-${n % 3}`, n % 4 === 3 ? 'Noise' : 'Added', { by: n });
};
const added = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n).filter((n) => n % 4 !== 3);

describe('a consumer', () => {
  it('gets the events of its types in order, old and new', async () => {
    const platform = await openPlatform();
    await add(platform, 0, 20);
    const { seen, handle } = collecting();
    follow(platform, handle);
    await eventually(() => seen.length === 15);
    await add(platform, 20, 40);
    await eventually(() => seen.length === 30);
    expect(seen).toEqual(added(0, 40));
  });

  it('continues after a restart, without repeats if it was stopped in order', async () => {
    const platform = await openPlatform();
    await add(platform, 0, 20);
    const first = collecting();
    const running = follow(platform, first.handle);
    await eventually(() => first.seen.length === 15);
    await running.stop();
    await add(platform, 20, 40);
    const second = collecting();
    follow(platform, second.handle);
    await eventually(() => second.seen.length === 15);
    expect(second.seen).toEqual(added(20, 40));
  });

  it('skips an event that needs a damaged event stream, and gets all others', async () => {
    const platform = await openPlatform();
    const { seen, handle } = collecting();
    const needy: Consumer['handle'] = async (events) => {
      if (events.some(({ data }) => (data as { by: number }).by === 5)) throw new DamagedEventStream('group-1', 'it begins at revision 2');
      await handle(events);
    };
    await add(platform, 0, 20);
    follow(platform, needy);
    await eventually(() => seen.includes(18));
    expect(new Set(seen)).toEqual(new Set(added(0, 20).filter((n) => n !== 5)));
  });

  it('gets a refused batch again before any later event', async () => {
    const platform = await openPlatform();
    let refusals = 3;
    const { seen, handle } = collecting((batch) => batch.includes(5) && refusals-- > 0);
    follow(platform, handle);
    await add(platform, 0, 20);
    await eventually(() => seen.includes(18));
    expect(refusals).toBeLessThanOrEqual(0);
    expect(seen).toEqual(added(0, 20));
  });

  it('ends when the signal aborts, even while its handler waits', async () => {
    const platform = await openPlatform();
    const handling: boolean[] = [];
    const { stop } = follow(platform, async (_, signal) => {
      handling.push(true);
      await systemClock.pause(60_000, signal);
      signal.throwIfAborted();
    });
    await add(platform, 0, 1);
    await eventually(() => handling.length === 1);
    await stop();
    expect(await platform.documents.readCheckpoint('consumer/test')).toBeNull();
  });

  it('saves its checkpoint while it runs, even past events of other types', async () => {
    const platform = await openPlatform();
    const { handle } = collecting();
    follow(platform, handle);
    await add(platform, 0, 4);
    const head = await platform.log.head();
    await eventually(async () => (await platform.documents.readCheckpoint('consumer/test'))?.position === head);
  });

  it('saves its checkpoint only when its work survives a restart', async () => {
    const platform = await openPlatform();
    const { seen, handle } = collecting();
    let settled = false;
    let asked = 0;
    follow(platform, handle, systemClock, async () => {
      asked += 1;
      if (!settled) throw new Error('not yet');
    });
    await add(platform, 0, 4);
    await eventually(() => asked > 0);
    expect(seen).toEqual(added(0, 4));
    expect(await platform.documents.readCheckpoint('consumer/test')).toBeNull();
    settled = true;
    const head = await platform.log.head();
    await eventually(async () => (await platform.documents.readCheckpoint('consumer/test'))?.position === head);
  });

  it('has no timer while it waits for events', async () => {
    const platform = await openPlatform();
    const pauses: number[] = [];
    const clock: Clock = {
      ...systemClock,
      pause: (milliseconds, signal) => {
        pauses.push(milliseconds);
        return systemClock.pause(Math.min(milliseconds, 1), signal);
      },
    };
    const { seen, handle } = collecting();
    follow(platform, handle, clock);
    await add(platform, 0, 1);
    await eventually(async () => (await platform.documents.readCheckpoint('consumer/test')) !== null);
    expect(seen).toEqual([0]);
    const before = pauses.length;
    await systemClock.pause(50);
    expect(pauses.length).toBe(before);
  });

  it('runs on one of several nodes at a time', async () => {
    const platform = await openPlatform();
    const first = collecting();
    const second = collecting();
    const running = follow(platform, first.handle);
    follow(platform, second.handle);
    await add(platform, 0, 20);
    await eventually(() => first.seen.length + second.seen.length === 15);
    await running.stop();
    await add(platform, 20, 40);
    await eventually(() => first.seen.length + second.seen.length === 30);
    expect([...first.seen, ...second.seen]).toEqual(added(0, 40));
  });
});
