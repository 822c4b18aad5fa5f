/** When a failed delivery is tried again: `docs/webhooks.md`, "Retries". */
export interface Schedule {
  /** Delay after the first failure; it doubles up to half an hour. */
  readonly baseMilliseconds: number;
  /** From the scheduling to the last attempt. */
  readonly windowMilliseconds: number;
}

const LONGEST_DELAY = 30 * 60_000;
const JITTER = 0.1;

/**
 * Time of the next attempt after failure number `attempt`; `null` if the deadline has passed. A time after the deadline becomes the deadline, as
 * the last attempt. `retryAfter` is the receiver's request, in milliseconds from now. `random` is from 0 to 1.
 */
export const nextAttemptAt = (
  { baseMilliseconds }: Schedule,
  {
    attempt,
    now,
    deadline,
    retryAfter,
    random,
  }: { attempt: number; now: number; deadline: number; retryAfter: number | null; random: number },
): number | null => {
  if (now >= deadline) return null;
  const delay = Math.min(LONGEST_DELAY, baseMilliseconds * 2 ** Math.min(attempt - 1, 40));
  const jittered = delay * (1 - JITTER + 2 * JITTER * random);
  return Math.min(deadline, Math.round(now + Math.max(jittered, retryAfter ?? 0)));
};

/** A weekday, a date and a time: all three forms of RFC 9110. `Date.parse` also accepts other text. */
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .*\d\d:\d\d:\d\d/i;
const ZONED = /(GMT|UTC|Z|[+-]\d{4})$/i;

/** `Retry-After` in milliseconds from now: seconds or an HTTP date. `null` for an invalid or past value. */
export const parseRetryAfter = (header: string | undefined, now: number): number | null => {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) > 0 ? Number(text) * 1000 : null;
  if (!HTTP_DATE.test(text)) return null;
  // An HTTP date is in GMT, even without a zone; `Date.parse` would read that as local time.
  const left = Date.parse(ZONED.test(text) ? text : `${text} GMT`) - now;
  return left > 0 ? left : null;
};
