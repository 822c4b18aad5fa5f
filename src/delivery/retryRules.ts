import { parseRetryAfter } from './send/retryAfter.ts';

/*
 * When the end of an attempt leads to another attempt: what a response means for its delivery, and when a failed delivery is due again.
 * `docs/webhooks.md`, "Retries", has these rules as tables. Not here:
 * - pausing or disabling an endpoint: `endpointHealth.ts`;
 * - holding the new events of an origin that never answered 2xx: `queue/destination.ts`;
 * - repeating an attempt that an error on this side ended, such as an unavailable log: `LOG_AWAY_RETRY_MILLISECONDS` in `userDeliveries.ts`.
 */

/** How one attempt ended. Only `failed` may be retried. `refused`: by the address guard. `gone`: the receiver answered 410. */
export interface AttemptEnd {
  readonly outcome: 'delivered' | 'failed' | 'refused' | 'gone';
  /** HTTP status; `null` if there was no response. */
  readonly status: number | null;
  /** A word or two, never text from the receiver; `null` for a delivery. */
  readonly reason: string | null;
  /** Pauses the whole endpoint (`endpointHealth.ts`), not just this delivery. Milliseconds from now; `null` for no pause. */
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
  /** 1 for the first attempt since the delivery was scheduled or recovered. Counts tries of every outcome; there is no count by status. */
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
  if (status >= 200 && status < 300) return { outcome: 'delivered', status, reason: null, endpointPause: null };
  if (status === 410) return { outcome: 'gone', status, reason: 'gone', endpointPause: null };
  const endpointPause = status === 429 || status === 503 ? parseRetryAfter(retryAfter, now) : null;
  return { outcome: 'failed', status, reason: status >= 300 && status < 400 ? 'redirect' : `status ${status}`, endpointPause };
};

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
