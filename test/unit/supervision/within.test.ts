import { expect, test } from 'vitest';
import { within } from '../../../src/supervision/within.ts';
import { ManualClock } from '../../manualClock.ts';

const never = new Promise<never>(() => {});

test('gives what the work gives in time', async () => {
  const clock = new ManualClock();
  expect(await within(clock, 1_000, Promise.resolve('done'))).toBe('done');
});

test('rejects with the failure of the work', async () => {
  await expect(within(new ManualClock(), 1_000, Promise.reject(new Error('away')))).rejects.toThrow('away');
});

test('is late when the time is over', async () => {
  const clock = new ManualClock();
  const outcome = within(clock, 1_000, never);
  await clock.advance(1_000);
  expect(await outcome).toBe('late');
});

test('is late when the signal aborts', async () => {
  const left = new AbortController();
  const outcome = within(new ManualClock(), 1_000, never, left.signal);
  left.abort();
  expect(await outcome).toBe('late');
});

test('leaves no timer behind, whether the work ends, fails or is abandoned', async () => {
  const clock = new ManualClock();
  const left = new AbortController();
  await within(clock, 1_000, Promise.resolve('done'));
  await within(clock, 1_000, Promise.reject(new Error('away'))).catch(() => {});
  const abandoned = within(clock, 1_000, never, left.signal);
  left.abort();
  await abandoned;
  expect(clock.sleeping).toBe(0);
});
