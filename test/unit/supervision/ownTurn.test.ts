import { describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { ownTurn, resting, turn } from '../../../src/supervision/ownTurn.ts';
import { eventually } from '../../eventually.ts';

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

/** Keeps the event loop busy. */
const work = (milliseconds: number): void => {
  for (const began = performance.now(); performance.now() - began < milliseconds; );
};

/** How many turns of the event loop have passed when each of the steps begins. */
const turnsOf = async (steps: number, milliseconds: number): Promise<number[]> => {
  let turns = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; turns += 1) await turn();
  })();
  const began = await Promise.all(
    Array.from({ length: steps }, async () => {
      await ownTurn();
      const at = turns;
      await null;
      work(milliseconds);
      return at;
    }),
  );
  isOver = true;
  await counting;
  return began.map((at) => at - (began[0] ?? 0));
};

describe('steps that ask for a turn of their own', () => {
  test('get one each if they are long', async () => {
    expect(await turnsOf(4, 4)).toEqual([0, 1, 2, 3]);
  });

  test('share one if they are short', async () => {
    // Another process may take the processor for longer than a millisecond in between.
    await eventually(async () => (await turnsOf(8, 0)).every((turns) => turns === 0));
  });

  test('let other work go first after a millisecond, also when one caller asks repeatedly', async () => {
    let others = 0;
    const timer = setInterval(() => {
      others += 1;
    }, 0);
    for (let step = 0; step < 40; step += 1) {
      await ownTurn();
      work(1);
    }
    clearInterval(timer);
    expect(others).toBeGreaterThanOrEqual(19);
  });

  test('begin in the order in which they asked', async () => {
    const order: number[] = [];
    await Promise.all(
      [1, 2, 3, 4].map(async (step) => {
        await ownTurn();
        order.push(step);
      }),
    );
    expect(order).toEqual([1, 2, 3, 4]);
  });
});
