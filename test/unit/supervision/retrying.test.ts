import { describe, expect, it } from 'vitest';
import { backOff, type RetryOptions, retrying } from '../../../src/supervision/retrying.ts';
import { ManualClock } from '../../manualClock.ts';

const failing = (failures: readonly unknown[]) => {
  const left = [...failures];
  return async () => {
    if (left.length > 0) throw left.shift();
    return 'done';
  };
};

describe('retrying', () => {
  const started = <T>(work: Parameters<typeof retrying<T>>[0], options: Partial<RetryOptions> = {}) => {
    const clock = new ManualClock();
    const result = retrying(work, { clock, ...options });
    result.catch(() => undefined);
    return { clock, result };
  };

  it('repeats the work until it succeeds, after any kind of failure', async () => {
    const { clock, result } = started(failing([new Error('a'), new TypeError('b'), 'c']));
    await clock.advance(10_000);
    expect(await result).toBe('done');
  });

  it('reports the first failure of each streak only', async () => {
    const reported: unknown[] = [];
    let calls = 0;
    const work = async (progressed: () => void) => {
      calls += 1;
      if (calls === 3) progressed();
      if (calls < 5) throw new Error(`failure ${calls}`);
    };
    const { clock, result } = started(work, { onFailure: (error) => reported.push(String(error)) });
    await clock.advance(10_000);
    await result;
    expect(reported).toEqual(['Error: failure 1', 'Error: failure 3']);
  });

  it('rejects with a failure that retryIf refuses', async () => {
    const { result } = started(failing([new RangeError('hopeless')]), { retryIf: (error) => !(error instanceof RangeError) });
    await expect(result).rejects.toThrow(new RangeError('hopeless'));
  });

  it("rejects with the signal's reason if it aborts during a pause", async () => {
    const stop = new AbortController();
    const { clock, result } = started(failing([new Error('a')]), { signal: stop.signal });
    await clock.advance(0);
    stop.abort(new Error('stopped'));
    await expect(result).rejects.toThrow('stopped');
    expect(clock.sleeping).toBe(0);
  });

  it('waits at least as long as the failure asks for', async () => {
    const { clock, result } = started(failing([new Error('busy')]), { leastPause: () => 30_000 });
    await clock.advance(29_999);
    expect(clock.sleeping).toBe(1);
    await clock.advance(1);
    expect(await result).toBe('done');
  });

  it('returns a result that arrives after the abort', async () => {
    const stop = new AbortController();
    const work = async () => {
      stop.abort();
      return 'done';
    };
    expect(await started(work, { signal: stop.signal }).result).toBe('done');
  });
});

describe('backOff', () => {
  it.each([
    [1, 50],
    [2, 100],
    [5, 800],
    [50, 5_000],
  ])('waits at least half of the longest pause after %i failures, and at most %i ms', (failures, longest) => {
    for (let n = 0; n < 100; n += 1) {
      expect(backOff(failures)).toBeGreaterThanOrEqual(longest / 2);
      expect(backOff(failures)).toBeLessThanOrEqual(longest);
    }
  });
});
