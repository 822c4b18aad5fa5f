import { type Clock, systemClock } from '../src/clock.ts';

/** A clock whose pauses are `speed` times as short as the machine's, for waits of seconds. Wall time is the machine's. */
export const fastClock = (speed: number): Clock => ({
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic() * speed,
  pause: (milliseconds, signal) => systemClock.pause(milliseconds / speed, signal),
});
