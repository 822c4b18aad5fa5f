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
 * When a delivery that has failed for the `attempt`th time is tried again; `null` when its time is over. What would come after the deadline
 * comes at the deadline, as the last. `retryAfter` is what the receiver asked for, in milliseconds from now. `random` is from 0 to 1.
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

/** A weekday, a date and a time: all three forms of RFC 9110. `Date.parse` makes a date of other words too. */
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .*\d\d:\d\d:\d\d/i;
const ZONED = /(GMT|UTC|Z|[+-]\d{4})$/i;

/** `Retry-After` in milliseconds from now: seconds or an HTTP date. `null` for rubbish and for what lies in the past. */
export const parseRetryAfter = (header: string | undefined, now: number): number | null => {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) > 0 ? Number(text) * 1000 : null;
  if (!HTTP_DATE.test(text)) return null;
  // An HTTP date is in GMT, also the form that does not say so; `Date.parse` would take that one as the server's own time.
  const left = Date.parse(ZONED.test(text) ? text : `${text} GMT`) - now;
  return left > 0 ? left : null;
};
