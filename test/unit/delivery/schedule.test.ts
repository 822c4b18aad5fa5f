import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nextAttemptAt, parseRetryAfter } from '../../../src/delivery/retrySchedule.ts';

const SCHEDULE = { baseMilliseconds: 5_000, windowMilliseconds: 3 * 3_600_000 };

/** When a delivery that always fails at once is tried, in seconds from its scheduling. */
const attempts = (random: () => number): number[] => {
  const deadline = SCHEDULE.windowMilliseconds;
  const times: number[] = [];
  for (let now: number | null = 0, attempt = 1; now !== null; attempt += 1) {
    times.push(now / 1000);
    now = nextAttemptAt(SCHEDULE, { attempt, now, deadline, retryAfter: null, random: random() });
  }
  return times;
};

describe('the schedule', () => {
  it('doubles from 5 s to half an hour and ends with an attempt at the deadline: 15 in three hours', () => {
    expect(attempts(() => 0.5)).toEqual([0, 5, 15, 35, 75, 155, 315, 635, 1275, 2555, 4355, 6155, 7955, 9755, 10_800]);
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
    expect(nextAttemptAt({ ...SCHEDULE, baseMilliseconds: 1 }, { attempt: 40, now: 0, deadline: 1e9, retryAfter: null, random: 0.5 })).toBe(
      1_800_000,
    );
  });

  it('waits as long as the receiver asks, but never beyond the deadline', () => {
    const asked = { attempt: 1, now: 0, deadline: 60_000, random: 0.5 };
    expect(nextAttemptAt(SCHEDULE, { ...asked, retryAfter: 20_000 })).toBe(20_000);
    expect(nextAttemptAt(SCHEDULE, { ...asked, retryAfter: 1_000 })).toBe(5_000);
    expect(nextAttemptAt(SCHEDULE, { ...asked, retryAfter: 86_400_000 })).toBe(60_000);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  // A server whose own time is not GMT.
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
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Thursday, 01-Jan-26 00:00:30 GMT', 30_000],
    ['Thu Jan  1 00:00:30 2026', 30_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', null],
    ['Thu, 99 Jan 2026 00:00:30 GMT', null],
    ['later 2099', null],
    ['retry 3600', null],
    ['0', null],
    ['-5', null],
    ['soon', null],
    ['1e3', null],
    ['99999999999999999999', null],
    ['', null],
    [undefined, null],
  ])('%j asks for %j ms', (header, milliseconds) => expect(parseRetryAfter(header, now)).toBe(milliseconds));
});
