import { describe, expect, it } from 'vitest';
import { Dispatcher, type Job } from '../../../src/delivery/queue/dispatcher.ts';
import { AttemptTimedOut, type Flight } from '../../../src/delivery/queue/flight.ts';
import { ManualClock } from '../../manualClock.ts';

const LIMITS = { attempts: 8, slowAttempts: 100, timeoutMilliseconds: 15_000 };

/** A dispatcher whose attempts end when the test says so. */
const rig = (limits = LIMITS) => {
  const clock = new ManualClock();
  const dispatcher = new Dispatcher(clock, limits);
  const flying: { readonly label: string; readonly flight: Flight; end(endpoint: 'works' | 'fails'): void }[] = [];
  const started: string[] = [];
  const add = (label: string, { owner = 'a', origin = 'http://one', retry = false, dueAt = clock.now() } = {}) => {
    const job: Job = {
      owner,
      dueAt,
      retry,
      origin: () => origin,
      postponedTo: () => null,
      attempt: (flight) =>
        new Promise((resolve) => {
          started.push(label);
          flying.push({ label, flight, end: resolve });
        }),
    };
    dispatcher.add(job);
  };
  const end = async (label: string, endpoint: 'works' | 'fails') => {
    const at = flying.findIndex((one) => one.label === label);
    flying.splice(at, 1)[0]?.end(endpoint);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, dispatcher, add, end, started, flying };
};

describe('the window of a destination', () => {
  it('starts at one, grows with successes and halves with a failure', async () => {
    const { add, end, flying } = rig();
    for (let n = 0; n < 20; n += 1) add(String(n));
    expect(flying.length).toBe(1);
    await end('0', 'works');
    expect(flying.length).toBe(2);
    await end('1', 'works');
    await end('2', 'works');
    expect(flying.length).toBe(4);
    await end('3', 'fails');
    expect(flying.length).toBe(3);
    await end('4', 'works');
    expect(flying.length).toBe(3);
  });

  it('is separate for each user, even at the same origin', () => {
    const { add, started } = rig();
    add('a1');
    add('a2');
    add('b1', { owner: 'b' });
    expect(started).toEqual(['a1', 'b1']);
  });
});

describe('an origin that has never answered 2xx', () => {
  const MEBIBYTE = 1_048_576;

  it('gets one attempt at a time, even if a user has several endpoints there', async () => {
    const { add, end, flying } = rig();
    for (let n = 0; n < 20; n += 1) add(String(n));
    for (let n = 0; n < 5; n += 1) {
      expect(flying.length).toBe(1);
      await end(String(n), 'fails');
    }
  });

  it('gets at most 1 MiB a second from one user', async () => {
    const { add, end, started, flying, clock } = rig();
    for (let n = 0; n < 10; n += 1) add(String(n));
    for (let second = 1; second <= 4; second += 1) {
      flying[0]?.flight.sending(MEBIBYTE);
      await end(String(second - 1), 'fails');
      await clock.advance(999);
      expect(started.length).toBe(second);
      await clock.advance(1);
      expect(started.length).toBe(second + 1);
    }
    add('other user', { owner: 'b' });
    expect(started.at(-1)).toBe('other user');
  });

  it('is free of that limit after its first 2xx, even if it fails later', async () => {
    const { add, end, started, flying } = rig();
    for (let n = 0; n < 4; n += 1) add(String(n));
    flying[0]?.flight.sending(MEBIBYTE);
    await end('0', 'works');
    expect(started).toEqual(['0', '1', '2']);
    for (const label of ['1', '2']) {
      flying[0]?.flight.sending(MEBIBYTE);
      await end(label, 'fails');
    }
    expect(started).toContain('3');
  });

  it('gets one new event in 30 s after five failures in a row, while retries run when due', async () => {
    const { add, end, started, clock } = rig();
    for (let n = 0; n < 8; n += 1) add(String(n));
    for (let n = 0; n < 5; n += 1) await end(String(n), 'fails');
    expect(started).toEqual(['0', '1', '2', '3', '4']);
    add('retry', { retry: true });
    expect(started.at(-1)).toBe('retry');
    await end('retry', 'fails');
    await clock.advance(29_999);
    expect(started).toHaveLength(6);
    await clock.advance(1);
    expect(started.slice(6)).toEqual(['5']);
    await end('5', 'fails');
    await clock.advance(29_999);
    expect(started).toHaveLength(7);
    await clock.advance(1);
    expect(started.slice(7)).toEqual(['6']);
  });

  it('gets its waiting new events after its first 2xx', async () => {
    const { add, end, started } = rig();
    for (let n = 0; n < 8; n += 1) add(String(n));
    for (let n = 0; n < 5; n += 1) await end(String(n), 'fails');
    add('retry', { retry: true });
    await end('retry', 'works');
    expect(started.slice(6)).toEqual(['5', '6']);
  });

  it('does not delay other users, or origins that have answered 2xx', async () => {
    const { add, end, started } = rig();
    for (let n = 0; n < 6; n += 1) add(String(n));
    for (let n = 0; n < 5; n += 1) await end(String(n), 'fails');
    add('other user', { owner: 'b' });
    add('known', { origin: 'http://two' });
    await end('known', 'works');
    for (let n = 0; n < 7; n += 1) add(`known ${n}`, { origin: 'http://two' });
    for (let n = 0; n < 6; n += 1) await end(`known ${n}`, 'fails');
    expect(started).toContain('other user');
    expect(started).toContain('known 6');
    expect(started).not.toContain('5');
  });

  it('gets later events when it is no longer throttled', async () => {
    const { add, end, started, flying, clock, dispatcher } = rig();
    add('first');
    flying[0]?.flight.sending(2 * MEBIBYTE);
    await end('first', 'fails');
    add('meanwhile');
    expect(started).toEqual(['first']);
    await clock.advance(2_000);
    expect(started).toEqual(['first', 'meanwhile']);
    await end('meanwhile', 'fails');
    expect(dispatcher.load.destinations).toBe(0);
    add('later');
    expect(started).toEqual(['first', 'meanwhile', 'later']);
  });
});

describe('turns', () => {
  it('go to new events before retries', async () => {
    const { add, end, started } = rig();
    add('first');
    add('retry', { retry: true });
    add('new');
    await end('first', 'fails');
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

  it('give destinations whose last attempt failed at most a quarter of the places', async () => {
    const { add, end, started, flying } = rig();
    for (let n = 0; n < 6; n += 1) add(`first${n}`, { origin: `http://${n}` });
    for (let n = 0; n < 6; n += 1) await end(`first${n}`, 'fails');
    for (let n = 0; n < 6; n += 1) add(`second${n}`, { origin: `http://${n}`, retry: true });
    expect(flying.length).toBe(2);
    add('healthy', { origin: 'http://healthy' });
    expect(started.at(-1)).toBe('healthy');
  });

  it('leave a delivery waiting until it is due', async () => {
    const { add, clock, started } = rig();
    add('later', { dueAt: clock.now() + 5_000, retry: true });
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

describe('very many queued jobs', () => {
  const COUNT = 5_000;

  /** Jobs, queued behind one that is under way. Once `isOver`, they are dropped or postponed; `seen` counts how often one was looked at. */
  const queued = (change: (isOver: () => boolean, seen: () => void) => Pick<Job, 'origin' | 'postponedTo'>) => {
    const dispatcher = new Dispatcher(new ManualClock(), LIMITS);
    let [isOver, seen, end] = [false, 0, (): void => {}];
    const first = new Promise<'works'>((resolve) => {
      end = () => resolve('works');
    });
    const changed = change(
      () => isOver,
      () => {
        seen += 1;
      },
    );
    for (let n = 0; n < COUNT; n += 1) dispatcher.add({ owner: 'a', dueAt: 0, retry: false, ...changed, attempt: () => first });
    isOver = true;
    seen = 0;
    end();
    return { dispatcher, seen: () => seen };
  };

  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it.each([
    [
      'dropped',
      (isOver: () => boolean, seen: () => void) => ({
        origin: () => {
          seen();
          return isOver() ? null : 'http://one';
        },
        postponedTo: (): number | null => null,
      }),
    ],
    [
      'postponed',
      (isOver: () => boolean, seen: () => void) => ({
        origin: () => 'http://one',
        postponedTo: (): number | null => {
          seen();
          return isOver() ? Number.MAX_SAFE_INTEGER : null;
        },
      }),
    ],
  ])('that are not sent now take several turns of the event loop: %s', async (_, change) => {
    const { dispatcher, seen } = queued(change);
    await turn();
    expect(seen()).toBeLessThan(COUNT / 2);
    for (let n = 0; n < 20; n += 1) await turn();
    expect(seen()).toBeGreaterThanOrEqual(COUNT - 1);
    expect(dispatcher.load.due).toBe(0);
  });
});
