import { isoTime } from '../../clock.ts';
import type { RecordedAttempt } from '../../domain/delivery/events.ts';
import type { PendingDelivery } from '../../domain/delivery/state.ts';
import { PING } from '../plan/webhookTypes.ts';
import { type AttemptEnd, endpointFails, nextAttemptAt, type Schedule } from '../retryRules.ts';

/** Times of one attempt, and where the excerpt of its answer is kept. */
export interface AttemptTimes {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly endedAt: number;
  readonly milliseconds: number;
  readonly response: string | null;
  /** From 0 to 1: the jitter. */
  readonly random: number;
}

/** See the table in `retryRules.ts`. */
const recordedOutcome = (pending: PendingDelivery, end: AttemptEnd, nextAt: number | null): RecordedAttempt['outcome'] => {
  if (end.outcome === 'delivered') return 'delivered';
  // A ping ends as delivered or failed.
  if (end.outcome === 'refused') return pending.delivery.type === PING ? 'failed' : 'refused';
  return end.outcome === 'failed' && nextAt === null && !pending.batch.once ? 'exhausted' : 'failed';
};

/** The fact that records an attempt, with the time of the next one. */
export const attemptRecord = (pending: PendingDelivery, end: AttemptEnd, times: AttemptTimes, schedule: Schedule): RecordedAttempt => {
  const { delivery, source, batch, attempts, tries } = pending;
  const { once, deadline } = batch;
  const nextAt = nextAttemptAt(schedule, { end, tryNumber: tries + 1, once, endedAt: times.endedAt, deadline, random: times.random });
  return {
    deliveryId: delivery.deliveryId,
    endpointId: delivery.endpointId,
    sourceEventId: source.sourceEventId,
    attempt: attempts + 1,
    at: isoTime(times.at),
    status: end.status,
    milliseconds: times.milliseconds,
    outcome: recordedOutcome(pending, end, nextAt),
    reason: end.reason,
    nextAt: nextAt === null ? null : isoTime(nextAt),
    response: times.response,
    endpointFails: endpointFails(end, batch),
  };
};
