import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clockText, systemClock } from '../../src/clock.ts';

const DAY = 86_400_000;

it.each([
  [65_900, '1:05', '00:01:05'],
  [3_723_000, '1:02:03', '01:02:03'],
  [-1, '0:00', '00:00:00'],
])('shows %d ms of a recording as %s', (milliseconds, short, padded) => {
  expect([clockText(milliseconds), clockText(milliseconds, { padded: true })]).toEqual([short, padded]);
});

describe("the machine's clock", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("pauses for longer than Node's longest timer", async () => {
    const woken = vi.fn();
    void systemClock.pause(60 * DAY).then(woken);
    await vi.advanceTimersByTimeAsync(59 * DAY);
    expect(woken).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(DAY);
    expect(woken).toHaveBeenCalledOnce();
  });

  it('ends a long pause when the signal aborts, reports the abort, and leaves no timer', async () => {
    const stop = new AbortController();
    const pausing = systemClock.pause(60 * DAY, stop.signal);
    await vi.advanceTimersByTimeAsync(40 * DAY);
    stop.abort(new Error('enough'));
    expect(await pausing).toBe('aborted');
    expect(vi.getTimerCount()).toBe(0);
  });
});
