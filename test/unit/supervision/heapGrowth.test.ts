import { expect, test } from 'vitest';
import { heapGrowthFor } from '../../../src/supervision/heapGrowth.ts';

const MEBIBYTE = 1_048_576;

test.each([
  [0, 100],
  [40, 100],
  [80, 100],
  [160, 50],
  [230, 35],
  [1_000, 35],
])('lets a heap with %i MiB alive grow by %i %', (live, percent) => {
  expect(heapGrowthFor(live * MEBIBYTE)).toBe(percent);
});
