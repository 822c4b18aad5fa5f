import { describe, expect, it } from 'vitest';
import { Dispatcher } from '../../../src/delivery/queue/dispatcher.ts';
import { AttemptTimedOut, type Flight } from '../../../src/delivery/queue/flight.ts';
import type { Job, Kind } from '../../../src/delivery/queue/job.ts';
import { ManualClock } from '../../manualClock.ts';

const LIMITS = { attempts: 64, slowAttempts: 100, timeoutMilliseconds: 15_000 };
const PER_ORIGIN = { attempts: 10, holdFailures: 5, holdMilliseconds: 30_000 };

const pendingOf = (kind: Kind, causedAt: string): Job['pending'] => ({
  delivery: { deliveryId: 'd', endpointId: 'p', eventId: 'e', type: 'stream.completed', sequence: 1, dynamicStreamId: null, url: null },
  source: { sourceEventId: 's', sourceEventStream: 'stream-s', sourceRevision: '0', sourcePosition: causedAt },
  scheduling: { renderer: 1, deadline: 0, once: false, recovered: kind === 'recovered', causedAt, revision: 0n },
  attempts: 0,
  tries: kind === 'retry' ? 1 : 0,
  nextAt: 0,
  asked: kind === 'asked',
});

interface Given {
  readonly owner?: string;
  readonly origin?: string;
  readonly kind?: Kind;
  readonly request?: string;
  readonly dueAt?: number;
}

/** A dispatcher whose attempts end when the test says so. */
const rig = (limits = LIMITS) => {
  const clock = new ManualClock();
  const dispatcher = new Dispatcher(clock, limits, PER_ORIGIN);
  const flying: { readonly label: string; readonly flight: Flight; end(endpoint: 'works' | 'fails' | 'untested'): void }[] = [];
  const started: string[] = [];
  const add = (label: string, { owner = 'a', origin = 'http://one', kind = 'fresh', request = '1', dueAt = clock.now() }: Given = {}) => {
    const sending: Job['sending'] = {
      owner,
      origin: () => origin,
      postponedTo: () => null,
      attempt: (_, flight) =>
        new Promise((resolve) => {
          started.push(label);
          flying.push({ label, flight, end: resolve });
        }),
    };
    dispatcher.add({ sending, pending: pendingOf(kind, request), dueAt });
  };
  const end = async (label: string, endpoint: 'works' | 'fails' | 'untested') => {
    const at = flying.findIndex((one) => one.label === label);
    flying.splice(at, 1)[0]?.end(endpoint);
    await new Promise((resolve) => setImmediate(resolve));
  };
  /** Lets an origin fail five times, so that it is held. */
  const hold = async (owner = 'a') => {
    for (let n = 0; n < 5; n += 1) {
      add(`failed ${n}`, { owner });
      await end(`failed ${n}`, 'fails');
    }
    started.length = 0;
  };
  const addMany = (count: number, kind: Kind, request = '1') => {
    for (let n = 0; n < count; n += 1) add(`${kind} ${request}.${n}`, { kind, request });
  };
  return { clock, dispatcher, add, addMany, end, hold, started, flying };
};

describe('attempts at one origin', () => {
  it('are ten at a time for each user', async () => {
    const { add, addMany, end, started } = rig();
    addMany(12, 'fresh');
    expect(started).toHaveLength(10);
    add('other user', { owner: 'b' });
    expect(started.at(-1)).toBe('other user');
    await end('fresh 1.0', 'works');
    await end('fresh 1.1', 'fails');
    expect(started.slice(11)).toEqual(['fresh 1.10', 'fresh 1.11']);
  });

  it('count the asked ones too, which go first', async () => {
    const { addMany, end, started } = rig();
    addMany(11, 'fresh');
    addMany(1, 'asked');
    expect(started).not.toContain('asked 1.0');
    await end('fresh 1.0', 'works');
    expect(started.at(-1)).toBe('asked 1.0');
  });
});

describe('an origin that has failed five times in a row', () => {
  it('gets one attempt in 30 s, retries included', async () => {
    const { add, end, hold, started, clock } = rig();
    await hold();
    add('new');
    add('retry', { kind: 'retry' });
    await clock.advance(29_999);
    expect(started).toEqual([]);
    await clock.advance(1);
    expect(started).toEqual(['new']);
    await clock.advance(10_000);
    expect(started).toEqual(['new']);
    await end('new', 'fails');
    await clock.advance(29_999);
    expect(started).toEqual(['new']);
    await clock.advance(1);
    expect(started).toEqual(['new', 'retry']);
  });

  it('gets all that waits after its first 2xx', async () => {
    const { addMany, end, hold, started, clock } = rig();
    await hold();
    addMany(10, 'fresh');
    await clock.advance(30_000);
    expect(started).toHaveLength(1);
    await end('fresh 1.0', 'works');
    expect(started).toHaveLength(10);
  });

  it('gets the next attempt at once if the one in 30 s ends without an answer of the origin', async () => {
    const { addMany, end, hold, started, clock } = rig();
    await hold();
    addMany(3, 'fresh');
    await clock.advance(30_000);
    await end('fresh 1.0', 'untested');
    expect(started).toEqual(['fresh 1.0', 'fresh 1.1']);
  });

  it('is held although it has answered 2xx before', async () => {
    const { add, end, hold, started } = rig();
    add('first');
    await end('first', 'works');
    await hold();
    add('new');
    expect(started).toEqual([]);
  });

  it('does not delay other users, or other origins', async () => {
    const { add, hold, started } = rig();
    await hold();
    add('held');
    add('other user', { owner: 'b' });
    add('other origin', { origin: 'http://two' });
    expect(started).toEqual(['other user', 'other origin']);
  });

  it('is forgotten by no later pause than its own', async () => {
    const { add, end, hold, started, clock } = rig();
    await hold();
    await clock.advance(10_000);
    add('asked', { kind: 'asked' });
    await end('asked', 'works');
    await hold();
    add('new');
    await clock.advance(20_000);
    expect(started).toEqual([]);
    await clock.advance(10_000);
    expect(started).toEqual(['new']);
  });
});

describe('what a person asks for at such an origin', () => {
  it('is sent at once, every time, and changes nothing for the rest', async () => {
    const { add, end, hold, started, clock } = rig();
    await hold();
    add('new');
    await clock.advance(20_000);
    for (const label of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
      add(label, { kind: 'asked' });
      expect(started.at(-1)).toBe(label);
      await end(label, 'fails');
    }
    await clock.advance(10_000);
    expect(started.at(-1)).toBe('new');
  });

  it('is sent also while the one attempt in 30 s is under way', async () => {
    const { add, hold, started, clock } = rig();
    await hold();
    add('new');
    await clock.advance(30_000);
    add('asked', { kind: 'asked' });
    add('later');
    expect(started).toEqual(['new', 'asked']);
  });

  it('releases the rest if it succeeds', async () => {
    const { add, end, hold, started } = rig();
    await hold();
    add('new');
    add('retry', { kind: 'retry' });
    add('asked', { kind: 'asked' });
    await end('asked', 'works');
    expect(started).toEqual(['asked', 'new', 'retry']);
  });

  it('is a recovery, ten at a time, until five of it have failed', async () => {
    const { addMany, end, hold, started, clock } = rig();
    await hold();
    addMany(30, 'recovered');
    expect(started).toHaveLength(10);
    for (let n = 0; n < 4; n += 1) await end(`recovered 1.${n}`, 'fails');
    expect(started).toHaveLength(14);
    for (let n = 4; n < 14; n += 1) await end(`recovered 1.${n}`, 'fails');
    expect(started).toHaveLength(14);
    await clock.advance(30_000);
    expect(started).toHaveLength(15);
  });

  it('is a later recovery again', async () => {
    const { addMany, end, hold, started } = rig();
    await hold();
    addMany(5, 'recovered');
    for (let n = 0; n < 5; n += 1) await end(`recovered 1.${n}`, 'fails');
    addMany(1, 'recovered', '2');
    expect(started.at(-1)).toBe('recovered 2.0');
  });
});

describe('turns', () => {
  it('go to new events before retries', async () => {
    const { add, end, started } = rig({ ...LIMITS, attempts: 1 });
    add('first');
    add('retry', { kind: 'retry' });
    add('new');
    await end('first', 'works');
    expect(started).toEqual(['first', 'new']);
  });

  it('rotate between users, however many destinations each has', async () => {
    const { add, end, started } = rig({ ...LIMITS, attempts: 1 });
    add('go', { origin: 'http://zero' });
    for (let n = 0; n < 3; n += 1) add(`a${n}`, { origin: `http://a${n}` });
    add('b0', { owner: 'b' });
    for (const label of ['go', 'a0', 'b0']) await end(label, 'works');
    expect(started.slice(0, 4)).toEqual(['go', 'a0', 'b0', 'a1']);
  });

  it('leave a delivery waiting until it is due', async () => {
    const { add, clock, started } = rig();
    add('later', { dueAt: clock.now() + 5_000, kind: 'retry' });
    await clock.advance(4_999);
    expect(started).toEqual([]);
    await clock.advance(1);
    expect(started).toEqual(['later']);
  });
});

describe('hosts that hang', () => {
  it('free their places while others wait, and are aborted when their time is over', async () => {
    const { add, clock, started, flying } = rig({ ...LIMITS, attempts: 2 });
    add('hung1', { origin: 'http://h1' });
    add('hung2', { origin: 'http://h2' });
    add('healthy', { owner: 'b' });
    expect(started).toEqual(['hung1', 'hung2']);
    await clock.advance(200);
    expect(started).toEqual(['hung1', 'hung2', 'healthy']);
    await clock.advance(15_000);
    expect(flying[0]?.flight.signal.reason).toBeInstanceOf(AttemptTimedOut);
  });

  it('hold at most as many sockets as the second cap', async () => {
    const { add, clock, started } = rig({ ...LIMITS, attempts: 1, slowAttempts: 2 });
    for (let n = 0; n < 6; n += 1) add(`hung${n}`, { origin: `http://h${n}` });
    await clock.advance(5_000);
    expect(started.length).toBe(3);
  });
});
