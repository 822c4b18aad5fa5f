import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { LogUsage } from '../../../src/stores/log/logUsage.ts';
import { ManualClock } from '../../manualClock.ts';

const by = (subject: string, actor: string = randomUUID()) => ({ subject, actor, correlationId: 'c', causationId: 'c' });
const event = (bytes: number) => ({ type: 'TemplateSaved', data: { text: 'x'.repeat(bytes) } });

test("counts a user's bytes, and starts again at midnight UTC", async () => {
  const clock = new ManualClock(Date.parse('2026-01-01T23:00:00Z'));
  const usage = new LogUsage(500_000, clock);
  usage.count(by('a'), [event(240_000)]);
  expect(usage.retryAfter('a')).toBeNull();
  usage.count(by('a', 'jwt:https://issuer.example'), [event(240_000), event(20_000)]);
  expect(usage.retryAfter('a')).toBe(3_600);
  expect(usage.retryAfter('b')).toBeNull();
  await clock.advance(3_600_000);
  expect(usage.retryAfter('a')).toBeNull();
});

test('counts every small event, but none of the platform', () => {
  const usage = new LogUsage(10_000, new ManualClock());
  for (const actor of ['policy:retention', 'processor/llm@node', 'delivery', 'bootstrap', 'command line', 'import']) {
    usage.count(by('a', actor), [event(1_000_000)]);
  }
  expect(usage.retryAfter('a')).toBeNull();
  usage.count(
    by('a'),
    Array.from({ length: 17 }, () => event(0)),
  );
  expect(usage.retryAfter('a')).toBeGreaterThan(0);
});

test('limits nothing with a limit of 0', () => {
  const usage = new LogUsage(0, new ManualClock());
  usage.count(by('a'), [event(1_000_000)]);
  expect(usage.retryAfter('a')).toBeNull();
});
