import { isoTime } from '../../clock.ts';
import type { RecordedAttempt } from '../../domain/delivery/events.ts';
import type { PendingDelivery } from '../../domain/delivery/state.ts';
import { PING } from '../plan/webhookTypes.ts';
import { nextAttemptAt, type Schedule } from '../retrySchedule.ts';
import type { AttemptEnd } from '../send/sender.ts';

/** Times of one attempt, and the location of its excerpt. */
export interface AttemptFacts {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly endedAt: number;
  readonly milliseconds: number;
  readonly response: string | null;
  /** From 0 to 1: the jitter. */
  readonly random: number;
}

const outcomeOf = (pending: PendingDelivery, end: AttemptEnd, nextAt: number | null): RecordedAttempt['outcome'] => {
  if (end.outcome === 'delivered') return 'delivered';
  // A ping ends as delivered or failed.
  if (end.outcome === 'refused') return pending.delivery.type === PING ? 'failed' : 'refused';
  return end.outcome === 'failed' && nextAt === null && !pending.batch.once ? 'exhausted' : 'failed';
};

/** The result of an attempt: the fact to record, and the time of the next attempt. */
export const attemptRecord = (pending: PendingDelivery, end: AttemptEnd, facts: AttemptFacts, schedule: Schedule): RecordedAttempt => {
  const { delivery, source, batch, attempts, tries } = pending;
  const timing = {
    attempt: tries + 1,
    now: facts.endedAt,
    deadline: batch.deadline,
    retryAfter: end.retryAfter,
    random: facts.random,
  };
  const nextAt = end.outcome === 'failed' && !batch.once ? nextAttemptAt(schedule, timing) : null;
  return {
    deliveryId: delivery.deliveryId,
    endpointId: delivery.endpointId,
    sourceEventId: source.sourceEventId,
    attempt: attempts + 1,
    at: isoTime(facts.at),
    status: end.status,
    milliseconds: facts.milliseconds,
    outcome: outcomeOf(pending, end, nextAt),
    reason: end.reason,
    nextAt: nextAt === null ? null : isoTime(nextAt),
    response: facts.response,
  };
};
