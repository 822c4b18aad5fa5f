import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/clock.ts';
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

  test('does not rest after each short step, but after several', async () => {
    const clock = new WorkClock();
    const rest = resting(clock, new AbortController().signal);
    for (let step = 0; step < 8; step += 1) {
      clock.work(1);
      await rest();
    }
    expect(clock.pauses).toEqual([3, 3]);
  });
});
