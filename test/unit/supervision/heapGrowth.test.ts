import { expect, test } from 'vitest';
import { HeapGrowth, heapGrowthFor } from '../../../src/supervision/heapGrowth.ts';
import { scarcityOf } from '../../../src/supervision/scarceMemory.ts';

const MEBIBYTE = 1_048_576;

test.each([
  [0, 100],
  [40, 100],
  [80, 100],
  [160, 50],
  [230, 35],
  [1_000, 35],
])('lets a heap with %i MiB alive grow by %i % while memory is ample', (live, percent) => {
  expect(heapGrowthFor(live * MEBIBYTE, 0)).toBe(percent);
});

test.each([
  [300, 100],
  [400, 100],
  [450, 53],
  [500, 5],
  [800, 5],
])('lets a small heap of a process with %i MiB grow by %i %', (resident, percent) => {
  expect(heapGrowthFor(80 * MEBIBYTE, scarcityOf(resident * MEBIBYTE, 500 * MEBIBYTE))).toBe(percent);
});

test('follows the memory of the process after every collection, and what is alive after full ones', () => {
  const now = { live: 160, resident: 100 };
  const flags: string[] = [];
  const growth = new HeapGrowth(500 * MEBIBYTE, {
    liveBytes: () => now.live * MEBIBYTE,
    residentBytes: () => now.resident * MEBIBYTE,
    setFlag: (flag) => flags.push(flag),
  });
  const collected = (isFull: boolean, changed: Partial<typeof now>): string[] => {
    Object.assign(now, changed);
    growth.collected(isFull);
    return flags.splice(0);
  };
  expect(collected(true, {})).toEqual(['--heap-growing-percent=50']);
  // Before a full collection, much of it may be garbage.
  expect(collected(false, { live: 500 })).toEqual([]);
  expect(collected(true, {})).toEqual(['--heap-growing-percent=35']);
  expect(collected(false, { resident: 500 })).toEqual(['--heap-growing-percent=5', '--optimize-for-size']);
  expect(collected(false, { resident: 100 })).toEqual(['--heap-growing-percent=35', '--no-optimize-for-size']);
});
