import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { every } from '../../../src/supervision/every.ts';
import { supervise } from '../../../src/supervision/supervise.ts';
import { type Holding, underLease } from '../../../src/supervision/underLease.ts';
import { ManualClock } from '../../manualClock.ts';

let clock: ManualClock;
let stop: AbortController;
let running: Promise<void>;

beforeEach(() => {
  clock = new ManualClock();
  stop = new AbortController();
});
// Every supervision ends by its signal, without rejecting.
afterEach(async () => {
  stop.abort();
  await clock.advance(0);
  await running;
});

describe('supervise', () => {
  it('starts the work again when it returns and when it fails, and reports only failures', async () => {
    const reported: string[] = [];
    let runs = 0;
    const work = async () => {
      runs += 1;
      if (runs === 2) throw new Error('broken');
    };
    running = supervise(work, { clock, signal: stop.signal, onFailure: (error) => reported.push(String(error)) });
    await clock.advance(10_000);
    expect(runs).toBeGreaterThan(3);
    expect(reported).toEqual(['Error: broken']);
  });

  it('pauses between runs that return at once', async () => {
    let runs = 0;
    running = supervise(
      async () => {
        runs += 1;
      },
      { clock, signal: stop.signal },
    );
    await clock.advance(1_000);
    expect(runs).toBeLessThanOrEqual(42);
  });
});

describe('every', () => {
  it('runs the work after each interval, also after a failure', async () => {
    const [times, failures]: [number[], unknown[]] = [[], []];
    const began = clock.now();
    const work = async () => {
      times.push(clock.now() - began);
      if (times.length === 2) throw new Error('broken');
    };
    running = every(work, { clock, milliseconds: 100, signal: stop.signal, onFailure: (error) => failures.push(error) });
    await clock.advance(350);
    expect(times).toEqual([100, 200, 300]);
    expect(failures).toEqual([new Error('broken')]);
  });
});

describe('underLease', () => {
  const lease = (epoch: number, log: string[]) => {
    const lost = new AbortController();
    return { epoch, lost, signal: lost.signal, release: async () => void log.push(`released ${epoch}`) };
  };

  it('releases the lease when it is lost, and works again under the next epoch', async () => {
    const log: string[] = [];
    const granted: ReturnType<typeof lease>[] = [];
    const leases = {
      acquire: async () => {
        const next = lease(granted.length + 1, log);
        granted.push(next);
        return next;
      },
    };
    const work = ({ epoch, signal }: Holding) => {
      log.push(`working ${epoch}`);
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    };
    running = underLease(work, { leases, name: 'test', clock, signal: stop.signal });
    await clock.advance(0);
    granted[0]?.lost.abort();
    await clock.advance(1_000);
    expect(log).toEqual(['working 1', 'released 1', 'working 2']);
  });

  it('ends without work if the signal aborts before the lease is free', async () => {
    const leases = {
      acquire: (_: string, signal: AbortSignal) =>
        new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
    };
    running = underLease(async () => expect.unreachable(), { leases, name: 'test', clock, signal: stop.signal });
    await clock.advance(0);
    stop.abort();
    await running;
  });
});
