import { expect, test } from 'vitest';
import { type Attempt, type Delivery, hasSuccess, recentHealthOf } from '../../../web/src/pages/webhooks/deliveries.ts';

const attempt = (minute: number, outcome: Attempt['outcome']): Attempt => ({
  attempt: 1,
  at: `2026-11-22T10:${String(minute).padStart(2, '0')}:00Z`,
  ...{ status: 200, milliseconds: 5, outcome, reason: null, response: null },
});

const delivery = (...attempts: Attempt[]): Delivery => ({
  ...{
    deliveryId: 'd',
    eventId: 'e',
    type: 'stream.ready',
    streamId: null,
    groupId: null,
    sequence: 1,
    state: 'pending',
    nextAttempt: null,
    deadline: '',
  },
  attempts,
});

test('is unused without attempts', () => {
  expect(recentHealthOf(true, [delivery()])).toEqual({ state: 'unused', failingSince: null, lastSuccess: null });
});

test('is healthy if the newest attempt was delivered', () => {
  const deliveries = [delivery(attempt(3, 'failed'), attempt(5, 'delivered')), delivery(attempt(4, 'failed'))];
  expect(recentHealthOf(true, deliveries)).toMatchObject({ state: 'healthy', failingSince: null, lastSuccess: '2026-11-22T10:05:00Z' });
});

test('is failing since the first failure after the last success', () => {
  const deliveries = [delivery(attempt(9, 'failed')), delivery(attempt(2, 'delivered')), delivery(attempt(6, 'failed'))];
  expect(recentHealthOf(true, deliveries)).toEqual({
    state: 'failing',
    failingSince: '2026-11-22T10:06:00Z',
    lastSuccess: '2026-11-22T10:02:00Z',
  });
});

test('is disabled for a disabled endpoint, whatever its deliveries', () => {
  expect(recentHealthOf(false, [delivery(attempt(1, 'failed'))]).state).toBe('disabled');
});

test('has the last success even if it is older than the newest deliveries, and does not guess since when it fails', () => {
  const health = recentHealthOf(
    true,
    [delivery(attempt(9, 'failed')), delivery(attempt(8, 'failed'))],
    [delivery(attempt(2, 'delivered'))],
  );
  expect(health).toEqual({ state: 'failing', failingSince: null, lastSuccess: '2026-11-22T10:02:00Z' });
});

test('is failing without a success if no older delivery succeeded', () => {
  expect(recentHealthOf(true, [delivery(attempt(9, 'failed'))], [])).toEqual({ state: 'failing', failingSince: null, lastSuccess: null });
});

test('knows whether deliveries include a success', () => {
  expect(hasSuccess([delivery(attempt(1, 'failed')), delivery()])).toBe(false);
  expect(hasSuccess([delivery(attempt(1, 'failed'), attempt(2, 'delivered'))])).toBe(true);
});

test.each(['event not readable', 'webhook cannot be built', 'store unavailable', 'newer version needed'])(
  'leaves out an attempt of which nothing was sent: %s',
  (reason) => {
    expect(recentHealthOf(true, [delivery({ ...attempt(8, 'failed'), reason })]).state).toBe('unused');
  },
);

test('leaves out failed pings and events that could not be read, but not a ping that was delivered', () => {
  const ping = (outcome: Attempt['outcome']): Delivery => ({ ...delivery(attempt(9, outcome)), type: 'ping' });
  const unreadable = delivery({ ...attempt(8, 'refused'), reason: 'event not readable' });
  expect(recentHealthOf(true, [ping('failed'), unreadable]).state).toBe('unused');
  expect(recentHealthOf(true, [ping('failed'), delivery(attempt(1, 'delivered'))]).state).toBe('healthy');
  expect(recentHealthOf(true, [delivery(attempt(1, 'failed')), ping('delivered')]).state).toBe('healthy');
});
