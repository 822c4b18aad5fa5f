import {
  count,
  type EventOf,
  event,
  flag,
  guardOf,
  id,
  list,
  nullable,
  object,
  objectOf,
  oneOf,
  ordinal,
  personal,
  record,
  type Schema,
  text,
} from '../eventForms.ts';

/** One webhook that is due: one webhook event for one endpoint. */
export interface ScheduledDelivery {
  /** `uuidv5(endpointId, eventId)`; a resend keeps it. A ping's is that of its request. */
  deliveryId: string;
  endpointId: string;
  /** Id of the webhook event, the same for every endpoint: `uuidv5(sourceEventId, type)`; `webhook-id` of every attempt. */
  eventId: string;
  /** Event type of the public interface, such as `stream.completed`; `ping`. */
  type: string;
  /** Numbers an endpoint's deliveries without gaps, from 1; `null` for a ping. */
  sequence: number | null;
  /** Of a dynamic webhook: the stream that named it first, and its URL; both `null` for a standard endpoint. */
  dynamicStreamId: string | null;
  url: string | null;
}

/** The event of the log that a delivery tells of: where to read it again, for every attempt renders it anew. */
export interface DeliverySource {
  sourceEventId: string;
  sourceEventStream: string;
  /** Decimal text. */
  sourceRevision: string;
  sourcePosition: string;
}

/** A delivery that was asked for by hand. `attempts` were made before; a number goes on from there. */
export interface RecoveredDelivery extends ScheduledDelivery, DeliverySource {
  attempts: number;
}

export type AttemptOutcome = 'delivered' | 'failed' | 'refused' | 'exhausted';

export interface RecordedAttempt {
  deliveryId: string;
  endpointId: string;
  sourceEventId: string;
  /** From 1, going on through resends. */
  attempt: number;
  at: string;
  /** HTTP status, `null` when there was none. */
  status: number | null;
  milliseconds: number;
  outcome: AttemptOutcome;
  /** A word or two, such as `timed out`; never what the target said. */
  reason: string | null;
  nextAt: string | null;
  /** Where the excerpt of the answer lies, `<topic>/<sequence>`, for 7 days. */
  response: string | null;
}

const scheduled = {
  deliveryId: id,
  endpointId: id,
  eventId: id,
  type: id,
  sequence: nullable(ordinal),
  dynamicStreamId: nullable(text),
  url: personal(nullable(text)),
};
const source = { sourceEventId: id, sourceEventStream: id, sourceRevision: text, sourcePosition: text };
const attempt = objectOf<RecordedAttempt>({
  deliveryId: id,
  endpointId: id,
  sourceEventId: id,
  attempt: ordinal,
  at: text,
  status: nullable<number>({ type: 'integer' }),
  milliseconds: { type: 'number', minimum: 0 },
  outcome: oneOf('delivered', 'failed', 'refused', 'exhausted'),
  reason: nullable(text),
  nextAt: nullable(text),
  response: nullable(text),
});
const refused: Schema<'pending' | 'unknown' | 'disabled' | null> = { enum: ['pending', 'unknown', 'disabled', null] };

/**
 * What the holder of a user's partition has done. Event stream `delivery-<subject>`: written by the holder alone, chained, not sealed,
 * kept for 30 days.
 */
export const DELIVERY_EVENTS = {
  /** One for each source event, and only if its `sourcePosition` is above the last one: a repeated fan-out schedules nothing twice. */
  DeliveriesScheduled: event(
    object({ ...source, renderer: ordinal, deadline: text, deliveries: list(objectOf<ScheduledDelivery>(scheduled)) }),
  ),
  /**
   * Answers a recovery, a resend or a ping: the event `requestEventId` at `requestPosition`. A large recovery takes several; `last` marks the
   * final one, and `scheduled` counts over all of them. `refused` says why nothing was scheduled.
   */
  DeliveriesRecovered: event(
    object({
      requestEventId: id,
      requestPosition: text,
      renderer: ordinal,
      deadline: text,
      /** True: a single attempt. False: attempts as the schedule says. */
      once: flag,
      deliveries: list(objectOf<RecoveredDelivery>({ ...scheduled, ...source, attempts: count })),
      scheduled: count,
      last: flag,
      refused,
    }),
  ),
  /** Their endpoint was disabled or deleted. They are not tried again. */
  DeliveriesStopped: event(object({ endpointId: id, reason: text, deliveryIds: list(id) })),
  AttemptsRecorded: event(object({ attempts: list(attempt) })),
  /** Written before the older facts expire, and after a move to another store: nothing is forgotten and nothing sent again. */
  DeliveryCarried: event(
    object({ lastSourcePosition: text, lastRequestPosition: text, sequences: record(ordinal), failing: record(text) }),
  ),
};

export type DeliveryEvent = EventOf<typeof DELIVERY_EVENTS>;
export const DELIVERY_EVENT_TYPES: readonly string[] = Object.keys(DELIVERY_EVENTS);
export const isDeliveryEvent = guardOf(DELIVERY_EVENTS);

export const deliveryEventStream = (subject: string): string => `delivery-${subject}`;
