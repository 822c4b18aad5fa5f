import { expect, test } from 'vitest';
import { limitBetween, processMemory, ResidentMemory, scarcityOf } from '../../../src/supervision/scarceMemory.ts';
import { ManualClock } from '../../manualClock.ts';

const MEBIBYTE = 1_048_576;

test.each([
  [100, 0],
  [400, 0],
  [450, 0.5],
  [500, 1],
  [900, 1],
])('memory is scarce from 400 MiB on, the more the larger the process: at %i MiB by %d', (resident, scarcity) => {
  expect(scarcityOf(resident * MEBIBYTE, 500 * MEBIBYTE)).toBe(scarcity);
});

test('memory is scarce later with a larger setting', () => {
  const scarcity = [800, 900, 1_000].map((resident) => scarcityOf(resident * MEBIBYTE, 1_000 * MEBIBYTE));
  expect(scarcity).toEqual([0, 0.5, 1]);
});

test.each([
  [0, 192],
  [0.5, 108],
  [1, 24],
])('at a scarcity of %d, a limit between 192 and 24 is %i', (scarcity, limit) => {
  expect(limitBetween(192, 24, { scarcity })).toBe(limit);
});

test('reads the resident memory when asked, at most every 25 ms', async () => {
  const clock = new ManualClock();
  const asked: number[] = [];
  let resident = 450;
  const memory = new ResidentMemory(clock, 500 * MEBIBYTE, () => {
    asked.push(clock.monotonic());
    return resident * MEBIBYTE;
  });
  expect([asked.length, memory.scarcity, memory.scarcity]).toEqual([0, 0.5, 0.5]);
  resident = 500;
  await clock.advance(24);
  expect([memory.scarcity, asked.length]).toEqual([0.5, 1]);
  await clock.advance(1);
  expect([memory.scarcity, asked.length]).toEqual([1, 2]);
});

test('memory is ample in a process that does not watch it', () => {
  expect(processMemory.scarcity).toBe(0);
});
