import { isoTime } from '../clock.ts';
import type { AttemptOutcome } from '../domain/delivery/events.ts';
import { StoreUnavailable } from '../stores/eventStore.ts';
import { NewerVersion } from '../stores/log/eventLog.ts';
import { parseRetryAfter } from '../supervision/retryAfter.ts';
import { backOff } from '../supervision/retrying.ts';

/*
 * The consequences of one attempt: for its delivery (`verdict`, `leastDelay`), for its endpoint (`endpoint`, `endpointPause`), the time of the next
 * attempt, and the outcome that is recorded. Other files only carry out what is decided here. `docs/webhooks.md`, "Retries", shows these rules to
 * users, and `docs/adding-a-retry-rule.md` walks through a new one.
 *
 * | Answer | `verdict` | `endpoint` | `endpointPause`, `leastDelay` | Recorded as |
 * |---|---|---|---|---|
 * | 2xx | `delivered` | `works` | | `delivered` |
 * | 410 | `gone` | `fails` | | `failed` |
 * | 429 or 503 with `Retry-After` | `retry` | `fails` | both as long as it asks | `failed`; `exhausted` if no attempt follows |
 * | any other status, or no response | `retry` | `fails` | | `failed`; `exhausted` if no attempt follows |
 * | not asked: the address guard refuses the URL | `refused` | `fails` | | `refused` |
 * | not asked: the event cannot be read | `refused` | `untested` | | `refused` |
 * | not asked: the webhook cannot be built | `failed` | `untested` | | `failed` |
 * | not asked: a store was unavailable until the deadline, or only a newer version can build the webhook | `retry` | `untested` | | `exhausted` |
 *
 * A delivery that a person asked for (a resend or a ping) is never retried: `retry` is recorded as `failed`, and so is a refused ping. The outcome of
 * the last attempt is the state of the delivery.
 *
 * Other files carry this out:
 * - `domain/delivery/state.ts` folds the recorded attempts: `delivered` ends a series of failures of the endpoint, `endpointFails` starts one;
 * - `endpointHealth.ts` pauses an endpoint, ends the pause after `delivered`, and disables the endpoint after `gone` or a day of failures only;
 * - `queue/destination.ts` holds an origin that fails several times in a row, until an attempt succeeds;
 * - `send/preparingFailures.ts` counts the errors on this side that prevented an attempt, such as an unavailable log. Only the last one is recorded
 *   (`afterPreparingFailed`).
 */

/** The end of one attempt. */
export interface AttemptEnd {
  /** For the delivery. Only `retry` may be followed by another attempt. */
  readonly verdict: 'delivered' | 'retry' | 'gone' | 'refused' | 'failed';
  /** For the endpoint: the queue and `endpointFails` read it. `untested` says nothing about it. */
  readonly endpoint: 'works' | 'fails' | 'untested';
  /** HTTP status; `null` if there was no response. */
  readonly status: number | null;
  /** A word or two, never text from the receiver; `null` after a 2xx. */
  readonly reason: string | null;
  /** All deliveries of the endpoint wait this long, in milliseconds from now; `null` for no pause. */
  readonly endpointPause: number | null;
  /** The shortest delay before the next attempt of this delivery, in milliseconds; `null` for the retry schedule alone. */
  readonly leastDelay: number | null;
  readonly excerpt: string | null;
}

/** The times that an operator can set. */
export interface RetryTimes {
  /** Delay after the first failure; it doubles up to half an hour. */
  readonly baseMilliseconds: number;
  /** From the scheduling to the last attempt. */
  readonly windowMilliseconds: number;
}

/** The deadline of a delivery that is scheduled `now` (milliseconds since the epoch), ISO 8601. `retryWindow`: its endpoint's, in seconds. */
export const deadlineAfter = ({ windowMilliseconds }: RetryTimes, now: number, retryWindow: number | null): string =>
  isoTime(now + (retryWindow === null ? windowMilliseconds : retryWindow * 1_000));

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
const NO_DELAY = { endpointPause: null, leastDelay: null };

/** The end of an attempt, from the headers of its response. `now` in milliseconds since the epoch. */
export const endOfResponse = (status: number, retryAfter: string | undefined, now: number): Omit<AttemptEnd, 'excerpt'> => {
  if (status >= 200 && status < 300) return { status, verdict: 'delivered', endpoint: 'works', reason: null, ...NO_DELAY };
  if (status === 410) return { status, verdict: 'gone', endpoint: 'fails', reason: 'gone', ...NO_DELAY };
  const reason = status >= 300 && status < 400 ? 'redirect' : `status ${status}`;
  const asked = status === 429 || status === 503 ? parseRetryAfter(retryAfter, now) || null : null;
  return { status, verdict: 'retry', endpoint: 'fails', reason, endpointPause: asked, leastDelay: asked };
};

/** An attempt that got no response. `reason`: a word or two, never text from the receiver. */
export const endWithoutResponse = (
  verdict: 'retry' | 'refused' | 'failed',
  reason: string,
  endpoint: 'fails' | 'untested' = 'fails',
): AttemptEnd => ({
  verdict,
  endpoint,
  status: null,
  reason,
  ...NO_DELAY,
  excerpt: null,
});

/**
 * Whether an attempt counts as a failure of its endpoint, which is disabled after a day of failures only. Recorded with the attempt; every fold of the
 * facts follows the record. A person's attempt does not count, since it may go to a disabled endpoint.
 */
export const endpointFails = ({ endpoint }: AttemptEnd, { once }: { readonly once: boolean }): boolean => endpoint === 'fails' && !once;

const delayAfter = (baseMilliseconds: number, tryNumber: number, random: number): number =>
  Math.min(LONGEST_DELAY, baseMilliseconds * 2 ** Math.min(tryNumber - 1, 40)) * (1 - JITTER + 2 * JITTER * random);

/**
 * When the next attempt is due, in milliseconds since the epoch; `null` if there is none. The queue may send it later. An attempt that would be due
 * after the deadline is due at the deadline, as the last one.
 */
export const nextAttemptAt = (
  { baseMilliseconds }: RetryTimes,
  { end, tryNumber, once, endedAt, deadline, random }: EndedTry,
): number | null => {
  if (end.verdict !== 'retry' || once || endedAt >= deadline) return null;
  const delay = delayAfter(baseMilliseconds, tryNumber, random);
  return Math.min(deadline, Math.round(endedAt + Math.max(delay, end.leastDelay ?? 0)));
};

/** Errors on this side, one after another, that prevented an attempt before anything was sent. Times in milliseconds since the epoch. */
export interface PreparingFailed {
  /** The last one. */
  readonly error: unknown;
  readonly failures: number;
  /** Those among them that had no known cause. */
  readonly unexpected: number;
  readonly since: number;
  readonly now: number;
  readonly deadline: number;
  /** From 0 to 1: the jitter. */
  readonly random: number;
}

/** An error without a known cause is not likely to pass. Runs of processors have as many tries. */
const UNEXPECTED_TRIES = 5;
/** Until a node of a newer version takes over the partition. */
const NEWER_VERSION_DELAY = 60_000;

/** Why nothing was sent, as the owner sees it. `NOTHING_SENT` has the same words. */
const CANNOT_BE_BUILT = endWithoutResponse('failed', 'webhook cannot be built', 'untested');
const STORE_UNAVAILABLE = endWithoutResponse('retry', 'store unavailable', 'untested');
const NEWER_VERSION_NEEDED = endWithoutResponse('retry', 'newer version needed', 'untested');

/**
 * Decides after an attempt could not be prepared: try again after `retryIn` milliseconds, or end the delivery. An outage of a store ends a delivery only
 * after its deadline, and only if the outage has lasted for a whole retry window. So a short outage at the deadline loses nothing.
 */
export const afterPreparingFailed = (
  { baseMilliseconds, windowMilliseconds }: RetryTimes,
  { error, failures, unexpected, since, now, deadline, random }: PreparingFailed,
): { readonly retryIn: number } | { readonly retryIn: null; readonly end: AttemptEnd } => {
  const needsNewerVersion = error instanceof NewerVersion;
  if (!needsNewerVersion && !(error instanceof StoreUnavailable))
    return unexpected < UNEXPECTED_TRIES
      ? { retryIn: delayAfter(baseMilliseconds, unexpected, random) }
      : { retryIn: null, end: CANNOT_BE_BUILT };
  if (now >= Math.max(deadline, since + windowMilliseconds))
    return { retryIn: null, end: needsNewerVersion ? NEWER_VERSION_NEEDED : STORE_UNAVAILABLE };
  return { retryIn: needsNewerVersion ? NEWER_VERSION_DELAY : backOff(failures) };
};

/** The outcome that is recorded: see the table above. `nextAt`: what `nextAttemptAt` returned. */
export const recordedOutcome = (
  { verdict }: AttemptEnd,
  { nextAt, once, isPing }: { readonly nextAt: number | null; readonly once: boolean; readonly isPing: boolean },
): AttemptOutcome => {
  if (verdict === 'delivered') return 'delivered';
  if (verdict === 'refused') return isPing ? 'failed' : 'refused';
  return verdict === 'retry' && nextAt === null && !once ? 'exhausted' : 'failed';
};
