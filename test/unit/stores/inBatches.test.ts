import { expect, onTestFinished, test } from 'vitest';
import { inBatches } from '../../../src/stores/inBatches.ts';
import { watchMemory } from '../../../src/supervision/scarceMemory.ts';

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

test('while memory is scarce, the first item is loaded alone', async () => {
  watchMemory({ scarcity: 1 });
  onTestFinished(() => watchMemory({ scarcity: 0 }));
  expect(await sizes(30, () => ({ text: 'x' }))).toEqual([1, 4, 16, 9]);
  expect(await sizes(3, () => ({ text: 'x'.repeat(1_000_000) }))).toEqual([1, 1, 1]);
});
