import { expect, test } from 'vitest';
import { LogUsage } from '../../../src/stores/log/logUsage.ts';
import { ManualClock } from '../../manualClock.ts';

test("counts a user's bytes, and starts again at midnight UTC", async () => {
  const clock = new ManualClock(Date.parse('2026-01-01T23:00:00Z'));
  const usage = new LogUsage(500_000, clock);
  usage.count('a', 240_000);
  expect(usage.retryAfter('a')).toBeNull();
  usage.count('a', 260_000);
  expect(usage.retryAfter('a')).toBe(3_600);
  expect(usage.retryAfter('b')).toBeNull();
  await clock.advance(3_600_000);
  expect(usage.retryAfter('a')).toBeNull();
});

test('limits nothing with a limit of 0', () => {
  const usage = new LogUsage(0, new ManualClock());
  usage.count('a', 1_000_000);
  expect(usage.retryAfter('a')).toBeNull();
});
