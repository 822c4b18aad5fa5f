import { isoTime } from '../../clock.ts';
import type { RecordedAttempt } from '../../domain/delivery/events.ts';
import type { PendingDelivery } from '../../domain/delivery/state.ts';
import { PING } from '../plan/webhookTypes.ts';
import { type AttemptEnd, endpointFails, nextAttemptAt, type RetryTimes, recordedOutcome } from '../retryRules.ts';

/** Times of one attempt, and where the excerpt of its response is kept. */
export interface AttemptTimes {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly endedAt: number;
  readonly milliseconds: number;
  readonly response: string | null;
  /** From 0 to 1: the jitter. */
  readonly random: number;
}

/** The record of an attempt, for the fact `AttemptsRecorded`, with the time of the next attempt. Its rules are in `retryRules.ts`. */
export const buildAttemptRecord = (
  pending: PendingDelivery,
  end: AttemptEnd,
  times: AttemptTimes,
  schedule: RetryTimes,
): RecordedAttempt => {
  const { delivery, source, scheduling, attempts, tries } = pending;
  const { once, deadline } = scheduling;
  const nextAt = nextAttemptAt(schedule, { end, tryNumber: tries + 1, once, endedAt: times.endedAt, deadline, random: times.random });
  return {
    deliveryId: delivery.deliveryId,
    endpointId: delivery.endpointId,
    sourceEventId: source.sourceEventId,
    attempt: attempts + 1,
    at: isoTime(times.at),
    status: end.status,
    milliseconds: times.milliseconds,
    outcome: recordedOutcome(end, { nextAt, once, isPing: delivery.type === PING }),
    reason: end.reason,
    nextAt: nextAt === null ? null : isoTime(nextAt),
    response: times.response,
    endpointFails: endpointFails(end, scheduling),
  };
};
