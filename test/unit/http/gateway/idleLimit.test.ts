import { expect, test } from 'vitest';
import type { Clock } from '../../../../src/clock.ts';
import { IdleLimit } from '../../../../src/http/gateway/webSocket/idleLimit.ts';
import { ManualClock } from '../../../manualClock.ts';

/** Whether a limit on this clock has been passed. */
const watched = (clock: Clock): (() => boolean) => {
  let over = false;
  const limit = new IdleLimit(clock, { silentMilliseconds: 10_000, lookMilliseconds: 500, pings: false });
  void limit
    .passed(
      () => false,
      new AbortController().signal,
      () => {},
    )
    .then((passed) => (over = passed));
  return () => over;
};

test('reports a client as idle after 10 seconds of silence', async () => {
  const clock = new ManualClock();
  const isOver = watched(clock);
  await clock.advance(9_000);
  expect(isOver()).toBe(false);
  await clock.advance(1_000);
  expect(isOver()).toBe(true);
});

test('does not count a pause of the process as silence of the client', async () => {
  const clock = new ManualClock();
  let paused = 0;
  const late: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    pause: (milliseconds, signal) => clock.pause(milliseconds + paused, signal),
  };
  const isOver = watched(late);
  await clock.advance(4_900);
  paused = 3_600_000;
  await clock.advance(100);
  paused = 0;
  await clock.advance(3_600_500 + 4_000);
  expect(isOver()).toBe(false);
  await clock.advance(1_500);
  expect(isOver()).toBe(true);
});
