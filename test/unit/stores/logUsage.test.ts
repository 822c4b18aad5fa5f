import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { countedLog, LogUsage } from '../../../src/stores/log/logUsage.ts';
import { ManualClock } from '../../manualClock.ts';
import { openedLog } from '../commands/openedLog.ts';

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

test('counts the events of users, and none of the platform itself', async () => {
  const usage = new LogUsage(10_000, new ManualClock());
  const { log } = openedLog({ Large: { version: 1, schema: { type: 'object' } } });
  const counted = countedLog(log, usage);
  const append = (actor: string, bytes: number) => {
    const events = [{ type: 'Large', data: { text: 'x'.repeat(bytes) } }];
    const context = { subject: 'a', actor, correlationId: 'c', causationId: 'c' };
    return counted.append(randomUUID(), { revision: 'no stream', hash: null }, events, context);
  };
  for (const actor of ['policy:retention', 'processor/llm@node', 'delivery', 'bootstrap', 'command line', 'import'])
    await append(actor, 20_000);
  expect(usage.retryAfter('a')).toBeNull();
  await append(randomUUID(), 9_000);
  expect(usage.retryAfter('a')).toBeNull();
  await append('jwt:https://issuer.example', 1_000);
  expect(usage.retryAfter('a')).toBeGreaterThan(0);
});
