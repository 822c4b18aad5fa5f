import { expect, test } from 'vitest';
import { inBatches } from '../../../src/stores/inBatches.ts';

/** Sizes of the batches in which items are loaded. */
const sizes = async (count: number, item: () => object): Promise<number[]> => {
  const found: number[] = [];
  const ids = Array.from({ length: count }, (_, n) => n);
  const seen: unknown[] = [];
  for await (const batch of inBatches(ids, 20, async (some) => some.map((id) => ({ ...item(), id })))) {
    found.push(batch.length);
    seen.push(...batch.map(({ id }) => id));
  }
  expect(seen).toEqual(ids);
  return found;
};

test('small items are loaded many at a time', async () => {
  expect(await sizes(50, () => ({ text: 'x' }))).toEqual([4, 16, 20, 10]);
});

test('large items are loaded one by one, so that few are in memory', async () => {
  expect(await sizes(7, () => ({ text: 'x'.repeat(1_000_000) }))).toEqual([4, 1, 1, 1]);
});
