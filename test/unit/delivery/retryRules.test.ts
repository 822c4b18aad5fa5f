import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AttemptEnd,
  afterPreparingFailed,
  type EndedTry,
  endOfResponse,
  endpointFails,
  endWithoutResponse,
  nextAttemptAt,
  recordedOutcome,
} from '../../../src/delivery/retryRules.ts';
import { StoreUnavailable } from '../../../src/stores/eventStore.ts';
import { NewerVersion } from '../../../src/stores/log/eventLog.ts';
import { parseRetryAfter } from '../../../src/supervision/retryAfter.ts';

const SCHEDULE = { baseMilliseconds: 5_000, windowMilliseconds: 3 * 3_600_000 };

const FAILED: AttemptEnd = { ...endOfResponse(500, undefined, 0), excerpt: null };

const nextOf = (change: Partial<EndedTry>, schedule = SCHEDULE): number | null =>
  nextAttemptAt(schedule, { end: FAILED, tryNumber: 1, once: false, endedAt: 0, deadline: 60_000, random: 0.5, ...change });

/** Times of all attempts of a delivery that always fails at once, in seconds from its scheduling. */
const attempts = (random: () => number): number[] => {
  const deadline = SCHEDULE.windowMilliseconds;
  const times: number[] = [];
  for (let endedAt: number | null = 0, tryNumber = 1; endedAt !== null; tryNumber += 1) {
    times.push(endedAt / 1000);
    endedAt = nextOf({ tryNumber, endedAt, deadline, random: random() });
  }
  return times;
};

describe('the retry schedule', () => {
  it('doubles from 5 s to half an hour and ends with an attempt at the deadline: 15 in three hours', () => {
    expect(attempts(() => 0.5)).toEqual([0, 5, 15, 35, 75, 155, 315, 635, 1275, 2555, 4355, 6155, 7955, 9755, 10_800]);
  });

  it('is the one in docs/webhooks.md', () => {
    const seconds = (text: string): number =>
      [...text.matchAll(/(\d+) (h|min|s)\b/g)].reduce((sum, [, n, unit]) => sum + Number(n) * ({ h: 3_600, min: 60 }[unit ?? ''] ?? 1), 0);
    const rows = [...readFileSync('docs/webhooks.md', 'utf8').matchAll(/^\| (\d+) \|([^|]*)\|([^|]*)\|$/gm)];
    const times = attempts(() => 0.5);
    expect(rows.map(([, n, delay = '', after = '']) => [Number(n), seconds(delay), seconds(after)])).toEqual(
      times.map((time, n) => [n + 1, time - (times[n - 1] ?? 0), time]),
    );
  });

  it('varies every delay by a tenth, except the last', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (stream) => {
        const times = attempts(() => stream.next().value ?? 0.5);
        expect(times.at(-1)).toBe(10_800);
        for (const [n, time] of times.slice(1, -1).entries()) {
          const base = Math.min(1_800, 5 * 2 ** n);
          const delay = time - (times[n] ?? 0);
          expect(delay).toBeGreaterThanOrEqual(base * 0.9 - 0.001);
          expect(delay).toBeLessThanOrEqual(base * 1.1 + 0.001);
        }
        expect(times.length).toBeGreaterThanOrEqual(14);
        expect(times.length).toBeLessThanOrEqual(16);
      }),
    );
  });

  it('never exceeds half an hour between attempts, however small the base is', () => {
    expect(nextOf({ tryNumber: 40, deadline: 1e9 }, { ...SCHEDULE, baseMilliseconds: 1 })).toBe(1_800_000);
  });

  it('waits as long as Retry-After asks, but never beyond the deadline', () => {
    const nextWith = (leastDelay: number) => nextOf({ end: { ...FAILED, leastDelay } });
    expect(nextWith(20_000)).toBe(20_000);
    expect(nextWith(1_000)).toBe(5_000);
    expect(nextWith(86_400_000)).toBe(60_000);
  });

  it.each(['delivered', 'refused', 'gone'] as const)('does not retry a delivery that was %s', (verdict) => {
    expect(nextOf({ end: { ...FAILED, verdict } })).toBeNull();
  });

  it('retries neither a delivery that a person asked for nor one whose deadline has passed', () => {
    expect(nextOf({ once: true })).toBeNull();
    expect(nextOf({ endedAt: 60_000 })).toBeNull();
    expect(nextOf({ endedAt: 59_999 })).toBe(60_000);
  });
});

describe('a response', () => {
  it.each([
    [200, 'delivered', 'works', null],
    [299, 'delivered', 'works', null],
    [304, 'retry', 'fails', null],
    [404, 'retry', 'fails', null],
    [410, 'gone', 'fails', null],
    [429, 'retry', 'fails', 7_000],
    [500, 'retry', 'fails', null],
    [503, 'retry', 'fails', 7_000],
  ])('%i with Retry-After means %s, that the endpoint %s, and a pause of %j ms', (status, verdict, endpoint, endpointPause) => {
    expect(endOfResponse(status, '7', 0)).toMatchObject({ status, verdict, endpoint, endpointPause });
  });
});

describe('the recorded outcome', () => {
  const of = (end: AttemptEnd, change: Partial<Parameters<typeof recordedOutcome>[1]> = {}) =>
    recordedOutcome(end, { nextAt: null, once: false, isPing: false, ...change });
  const REFUSED = endWithoutResponse('refused', 'The address is not allowed.');

  it('of a failure is failed while an attempt follows, and exhausted after the last one', () => {
    expect(of(FAILED, { nextAt: 5_000 })).toBe('failed');
    expect(of(FAILED)).toBe('exhausted');
  });

  it('is delivered after a 2xx, failed after a 410, and refused without a request', () => {
    expect(of({ ...endOfResponse(204, undefined, 0), excerpt: null })).toBe('delivered');
    expect(of({ ...endOfResponse(410, undefined, 0), excerpt: null })).toBe('failed');
    expect(of(REFUSED)).toBe('refused');
  });

  it('of the one attempt of a resend or a ping that fails is failed, and a refused ping is failed too', () => {
    expect(of(FAILED, { once: true })).toBe('failed');
    expect(of(REFUSED, { once: true, isPing: true })).toBe('failed');
    expect(of(REFUSED, { once: true })).toBe('refused');
  });
});

describe('a failure of the endpoint', () => {
  it('is an attempt that failed or was refused, unless a person asked for it or nothing could be sent', () => {
    const counts = (end: AttemptEnd, once = false) => endpointFails(end, { once });
    expect(counts(FAILED)).toBe(true);
    expect(counts(endWithoutResponse('retry', 'timed out'))).toBe(true);
    expect(counts(endWithoutResponse('refused', 'The address is not allowed.'))).toBe(true);
    expect(counts({ ...endOfResponse(410, undefined, 0), excerpt: null })).toBe(true);
    expect(counts(FAILED, true)).toBe(false);
    expect(counts(endWithoutResponse('refused', 'event not readable', 'untested'))).toBe(false);
    expect(counts({ ...endOfResponse(204, undefined, 0), excerpt: null })).toBe(false);
  });
});

describe('an attempt that could not be prepared', () => {
  const schedule = { baseMilliseconds: 5_000, windowMilliseconds: 1_000_000 };
  const following = (error: Error, change: Partial<Parameters<typeof afterPreparingFailed>[1]> = {}) =>
    afterPreparingFailed(schedule, { error, failures: 1, unexpected: 0, since: 0, now: 0, deadline: 500_000, random: 0.5, ...change });
  const AWAY = new StoreUnavailable('away');

  it('is repeated soon while a store is unavailable, and every 5 s at most', () => {
    expect(following(AWAY).retryIn).toBeLessThanOrEqual(50);
    const late = following(AWAY, { failures: 1_000, now: 999_999 }).retryIn;
    expect([late !== null && late >= 2_500, late !== null && late <= 5_000]).toEqual([true, true]);
  });

  it('ends its delivery when the deadline has passed and the outage has lasted as long as retries do', () => {
    const end = { verdict: 'retry', endpoint: 'untested', reason: 'store unavailable' };
    expect(following(AWAY, { now: 1_000_000 })).toMatchObject({ retryIn: null, end });
    expect(following(AWAY, { now: 1_000_000, deadline: 1_000_001 }).retryIn).not.toBeNull();
    expect(following(AWAY, { now: 1_000_000, since: 1 }).retryIn).not.toBeNull();
  });

  it('waits a minute for a newer version', () => {
    expect(following(new NewerVersion('newer'), { failures: 9 })).toEqual({ retryIn: 60_000 });
    expect(following(new NewerVersion('newer'), { now: 1_000_000 })).toMatchObject({ end: { reason: 'newer version needed' } });
  });

  it('is tried five times after an error without a known cause, however often a store was unavailable before', () => {
    const wrong = new TypeError('wrong');
    expect([1, 2, 3, 4].map((unexpected) => following(wrong, { failures: 100, unexpected }).retryIn)).toEqual([
      5_000, 10_000, 20_000, 40_000,
    ]);
    expect(following(wrong, { unexpected: 5 })).toMatchObject({
      end: { verdict: 'failed', endpoint: 'untested', reason: 'webhook cannot be built' },
    });
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  // A server whose local time is not GMT.
  const zone = process.env.TZ;
  beforeAll(() => {
    process.env.TZ = 'America/New_York';
  });
  afterAll(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  it.each([
    ['7', 7_000],
    ['0.5', 500],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Thursday, 01-Jan-26 00:00:30 GMT', 30_000],
    ['Thu Jan  1 00:00:30 2026', 30_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['Thu, 99 Jan 2026 00:00:30 GMT', null],
    ['later 2099', null],
    ['retry 3600', null],
    ['0', 0],
    ['-5', null],
    ['soon', null],
    ['1e3', null],
    ['99999999999999999999', null],
    ['', null],
    [undefined, null],
  ])('%j asks for %j ms', (header, milliseconds) => expect(parseRetryAfter(header, now)).toBe(milliseconds));
});
