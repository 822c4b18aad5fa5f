import { describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { resting } from '../../../src/supervision/ownTurn.ts';

/** A clock that moves only when told, or by a pause. */
class WorkClock implements Pick<Clock, 'monotonic' | 'pause'> {
  readonly pauses: number[] = [];
  #now = 0;

  monotonic(): number {
    return this.#now;
  }

  async pause(milliseconds: number): Promise<'elapsed'> {
    this.pauses.push(milliseconds);
    this.#now += milliseconds;
    return 'elapsed';
  }

  work(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

describe('long work', () => {
  test('rests as long as it has worked since its last rest', async () => {
    const clock = new WorkClock();
    const rest = resting(clock, new AbortController().signal);
    for (const milliseconds of [10, 40]) {
      clock.work(milliseconds);
      await rest();
    }
    expect(clock.pauses).toEqual([10, 40]);
  });

  test('rests after 3 ms of short steps', async () => {
    const clock = new WorkClock();
    const rest = resting(clock, new AbortController().signal);
    for (let step = 0; step < 8; step += 1) {
      clock.work(1);
      await rest();
    }
    expect(clock.pauses).toEqual([3, 3]);
  });

  test('rests for a second at most, since it may have waited for hours', async () => {
    const clock = new WorkClock();
    const rest = resting(clock, new AbortController().signal);
    clock.work(3_600_000);
    await rest();
    expect(clock.pauses).toEqual([1_000]);
  });

  test('does not rest any longer when it is stopped', async () => {
    const rest = resting({ monotonic: () => performance.now() * 1_000, pause: systemClock.pause }, AbortSignal.abort());
    const began = performance.now();
    for (let step = 0; step < 5; step += 1) await rest();
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
