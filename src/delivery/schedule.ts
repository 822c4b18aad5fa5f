/** When a delivery is tried: `delivery.md`, Outcome. All times in milliseconds since the epoch. */
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

/** `Retry-After` in milliseconds from now: seconds or an HTTP date. `null` for rubbish and for what lies in the past. */
export const parseRetryAfter = (header: string | undefined, now: number): number | null => {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) > 0 ? Number(text) * 1000 : null;
  // An HTTP date names its day or month; what `Date.parse` makes of bare numbers is rubbish here.
  if (!/^[A-Za-z]{3,9},? /.test(text)) return null;
  const left = Date.parse(text) - now;
  return left > 0 ? left : null;
};
