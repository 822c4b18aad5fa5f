/*
 * The consequences of an attempt: for its delivery (`outcome`), for its endpoint (`endpoint`, `endpointPause`), and the time of the next attempt.
 * `docs/webhooks.md`, "Retries", has these rules as tables. Others only follow what is decided here.
 *
 * | Outcome of the attempt | Retried | Recorded as |
 * |---|---|---|
 * | `delivered` | no | `delivered` |
 * | `failed` | yes, until the deadline | `failed`, the last attempt as `exhausted` |
 * | `gone` (410) | no | `failed` |
 * | `refused` (by the address guard, or because the event cannot be read) | no | `refused` |
 *
 * A delivery that a person asked for (a resend or a ping) is never retried: its failed attempt is recorded as `failed`, and so is a refused ping. The
 * outcome of the last attempt is the state of the delivery.
 *
 * A 2xx changes the state of the delivery (`projections/deliveries.ts`), ends a series of failures (`failing` in `domain/delivery/state.ts`) and the pause
 * of the endpoint (`endpointHealth.ts`), and widens the window of its origin in the queue (`queue/destination.ts`).
 *
 * Not here:
 * - carrying out a pause, and disabling an endpoint after 410 or a day of failures: `endpointHealth.ts`;
 * - holding the new events of an origin that never answered 2xx: `queue/destination.ts`;
 * - repeating an attempt that an error on this side ended, such as an unavailable log: `PREPARING_FAILED_RETRY_MILLISECONDS` in `userDeliveries.ts`.
 */

/** How one attempt ended. Only `failed` may be retried. */
export interface AttemptEnd {
  readonly outcome: 'delivered' | 'failed' | 'refused' | 'gone';
  /**
   * The effect on the endpoint. `works` ends a series of failures; an endpoint with nothing but `fails` for a day is disabled. Attempts that a person
   * requested do not count as `fails` (`endpointFails`). The queue sends more to an origin that works, and less to one that fails. `untested` changes nothing.
   */
  readonly endpoint: 'works' | 'fails' | 'untested';
  /** HTTP status; `null` if there was no response. */
  readonly status: number | null;
  /** A word or two, never text from the receiver; `null` for a delivery. */
  readonly reason: string | null;
  /**
   * Pauses the whole endpoint (`endpointHealth.ts`), and is the shortest delay of this delivery (`nextAttemptAt`). Milliseconds from now; `null` for
   * no pause.
   */
  readonly endpointPause: number | null;
  readonly excerpt: string | null;
}

/** The times that an operator can set. */
export interface Schedule {
  /** Delay after the first failure; it doubles up to half an hour. */
  readonly baseMilliseconds: number;
  /** From the scheduling to the last attempt. */
  readonly windowMilliseconds: number;
}

/** A try that has ended. Times in milliseconds since the epoch. */
export interface EndedTry {
  readonly end: AttemptEnd;
  /** 1 for the first attempt since the delivery was scheduled or recovered. Every attempt counts, whatever its status. */
  readonly tryNumber: number;
  /** A delivery that a person asked for (resend, ping) gets one attempt only. */
  readonly once: boolean;
  readonly endedAt: number;
  readonly deadline: number;
  /** From 0 to 1: the jitter. */
  readonly random: number;
}

const LONGEST_DELAY = 30 * 60_000;
const JITTER = 0.1;

/** What the headers of a response mean for its delivery. `now` in milliseconds since the epoch. */
export const endOfResponse = (status: number, retryAfter: string | undefined, now: number): Omit<AttemptEnd, 'excerpt'> => {
  if (status >= 200 && status < 300) return { outcome: 'delivered', endpoint: 'works', status, reason: null, endpointPause: null };
  if (status === 410) return { outcome: 'gone', endpoint: 'fails', status, reason: 'gone', endpointPause: null };
  const endpointPause = status === 429 || status === 503 ? parseRetryAfter(retryAfter, now) : null;
  const reason = status >= 300 && status < 400 ? 'redirect' : `status ${status}`;
  return { outcome: 'failed', endpoint: 'fails', status, reason, endpointPause };
};

/** An attempt that got no response. `reason`: a word or two, never text from the receiver. */
export const endWithoutResponse = (
  outcome: 'failed' | 'refused',
  reason: string,
  endpoint: 'fails' | 'untested' = 'fails',
): AttemptEnd => ({ outcome, endpoint, status: null, reason, endpointPause: null, excerpt: null });

/**
 * Whether an attempt counts as a failure of its endpoint, which is disabled after a day of failures only. Recorded with the attempt; every fold of the
 * facts follows the record. A person's attempt does not count, since it may go to a disabled endpoint.
 */
export const endpointFails = ({ endpoint }: AttemptEnd, { once }: { readonly once: boolean }): boolean => endpoint === 'fails' && !once;

/**
 * When the next attempt is due, in milliseconds since the epoch; `null` if there is none. The queue may send it later. An attempt that would be due
 * after the deadline is due at the deadline, as the last one.
 */
export const nextAttemptAt = (
  { baseMilliseconds }: Schedule,
  { end, tryNumber, once, endedAt, deadline, random }: EndedTry,
): number | null => {
  if (end.outcome !== 'failed' || once || endedAt >= deadline) return null;
  const delay = Math.min(LONGEST_DELAY, baseMilliseconds * 2 ** Math.min(tryNumber - 1, 40));
  const jittered = delay * (1 - JITTER + 2 * JITTER * random);
  return Math.min(deadline, Math.round(endedAt + Math.max(jittered, end.endpointPause ?? 0)));
};

/** A weekday, a date and a time: all three forms of RFC 9110. `Date.parse` makes a date of other words too. */
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .*\d\d:\d\d:\d\d/i;
const ZONED = /(GMT|UTC|Z|[+-]\d{4})$/i;

/** `Retry-After` in milliseconds from now: seconds or an HTTP date. `null` for an invalid value and for a time in the past. */
export const parseRetryAfter = (header: string | undefined, now: number): number | null => {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) > 0 ? Number(text) * 1000 : null;
  if (!HTTP_DATE.test(text)) return null;
  // HTTP dates are in GMT, also in the form without a zone, which `Date.parse` would read as local time.
  const left = Date.parse(ZONED.test(text) ? text : `${text} GMT`) - now;
  return left > 0 ? left : null;
};
