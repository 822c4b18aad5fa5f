import { expect, test } from 'vitest';
import { defaultLiveEngines, memoryBytes } from '../../../src/speech/liveEngines.ts';

const GIB = 1024 ** 3;

test.each([
  ['four for each core', 2, 16 * GIB, 8],
  ['only as many workers as fit into half of the memory', 8, 8 * GIB, 8],
  ['two on a small machine, because one user has half of them', 1, GIB, 2],
])('sets the default of LIVE_ENGINES to %s', (_, cores, memory, engines) => {
  expect(defaultLiveEngines(cores, memory)).toBe(engines);
});

test('knows the memory of this machine', () => {
  expect(memoryBytes()).toBeGreaterThan(GIB / 4);
  expect(memoryBytes()).toBeLessThan(2 ** 50);
});
