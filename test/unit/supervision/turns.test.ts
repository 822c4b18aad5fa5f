import { describe, expect, test } from 'vitest';
import { turn } from '../../../src/supervision/ownTurn.ts';
import { Turns } from '../../../src/supervision/turns.ts';
import { eventually } from '../../eventually.ts';

/** Keeps the event loop busy. */
const work = (milliseconds: number): void => {
  for (const began = performance.now(); performance.now() - began < milliseconds; );
};

/** In which turn of the event loop each of the callers begins, who come at the same moment. Each then works for `milliseconds`, in a later step. */
const turnsOf = async (callers: number, milliseconds: number, together = 1): Promise<number[]> => {
  const turns = new Turns(together);
  let passed = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; passed += 1) await turn();
  })();
  const begun = await Promise.all(
    Array.from({ length: callers }, async () => {
      await turns.next();
      const at = passed;
      await null;
      work(milliseconds);
      return at;
    }),
  );
  isOver = true;
  await counting;
  return begun;
};

describe('callers that come at the same moment', () => {
  test('continue in a turn of the event loop each if their work is long', async () => {
    expect(await turnsOf(4, 2)).toEqual([0, 1, 2, 3]);
  });

  test('continue together in groups if that is wanted, one group in a turn if their work is long', async () => {
    expect(await turnsOf(7, 1, 3)).toEqual([0, 0, 0, 1, 1, 1, 2]);
  });

  test('continue in one turn if their work is short', async () => {
    // Another process may take the processor for longer than a millisecond in between.
    await eventually(async () => (await turnsOf(8, 0)).every((at) => at === 0));
  });

  test('continue at once if no other is at work', async () => {
    const turns = new Turns();
    expect(turns.next()).toBeUndefined();
    expect(turns.next()).toBeInstanceOf(Promise);
    for (let n = 0; n < 3; n += 1) await turn();
    expect(turns.next()).toBeUndefined();
  });

  test('continue in the order in which they came', async () => {
    const turns = new Turns();
    const order: number[] = [];
    const come = async (caller: number): Promise<void> => {
      await (caller % 2 === 0 ? turns.next() : turns.later());
      order.push(caller);
      work(0.4);
    };
    await Promise.all([0, 1, 2, 3, 4, 5].map(come));
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  });
});
