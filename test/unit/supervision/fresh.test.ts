import { expect, test } from 'vitest';
import { fresh } from '../../../src/supervision/fresh.ts';
import { ManualClock } from '../../manualClock.ts';

test('callers share a reading until it has ended and its time has passed, also one that fails', async () => {
  const clock = new ManualClock();
  const readings: { resolve(value: number): void; reject(error: Error): void }[] = [];
  const look = fresh(clock, 20, () => new Promise<number>((resolve, reject) => readings.push({ resolve, reject })));
  const first = look();
  await clock.advance(100);
  expect(look()).toBe(first);
  readings[0]?.resolve(1);
  expect(await first).toBe(1);
  const second = look();
  readings[1]?.reject(new Error('away'));
  await expect(second).rejects.toThrow('away');
  await clock.advance(10);
  expect(look()).toBe(second);
  await clock.advance(10);
  const third = look();
  readings[2]?.resolve(3);
  expect(await third).toBe(3);
  expect(readings).toHaveLength(3);
});
