import { expect, test } from 'vitest';
import { inBatches } from '../../../src/stores/inBatches.ts';

test('loads all items in order, each batch when the one before has been handled', async () => {
  const steps: string[] = [];
  const load = async (ids: readonly number[]) => {
    steps.push(`load ${ids}`);
    return ids;
  };
  for await (const batch of inBatches([1, 2, 3, 4, 5], 2, load)) steps.push(`use ${batch}`);
  expect(steps).toEqual(['load 1,2', 'use 1,2', 'load 3,4', 'use 3,4', 'load 5', 'use 5']);
});
