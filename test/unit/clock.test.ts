import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';

const DAY = 86_400_000;

describe("the machine's clock", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('sleeps for longer than a timer of Node takes', async () => {
    const woken = vi.fn();
    void systemClock.sleep(60 * DAY).then(woken);
    await vi.advanceTimersByTimeAsync(59 * DAY);
    expect(woken).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(DAY);
    expect(woken).toHaveBeenCalledOnce();
  });

  it('is woken from such a sleep by its signal, with the reason, and leaves no timer behind', async () => {
    const stop = new AbortController();
    const sleeping = systemClock.sleep(60 * DAY, stop.signal);
    const rejected = expect(sleeping).rejects.toThrow('enough');
    await vi.advanceTimersByTimeAsync(40 * DAY);
    stop.abort(new Error('enough'));
    await rejected;
    expect(vi.getTimerCount()).toBe(0);
  });
});
