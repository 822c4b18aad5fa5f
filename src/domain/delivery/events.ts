import type { Schema } from '../../json.ts';
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
  text,
} from '../eventForms.ts';

/** One due webhook: a webhook event for one endpoint. */
export interface ScheduledDelivery {
  /** `uuidv5(endpointId, eventId)`, unchanged by a resend. For a ping, the id of its request. */
  deliveryId: string;
  endpointId: string;
  /** Id of the webhook event, the same for all endpoints: `uuidv5(sourceEventId, type)`. Sent as `webhook-id` with every attempt. */
  eventId: string;
  /** Public event type, such as `stream.completed` or `ping`. */
  type: string;
  /** Gapless number within an endpoint's deliveries, from 1; `null` for a ping. */
  sequence: number | null;
  /** For a dynamic webhook: the stream that first named it, and its URL. Both `null` for a standard endpoint. */
  dynamicStreamId: string | null;
  url: string | null;
}

/** The log event that a delivery reports. Every attempt reads and renders it again, unless its body is cached (`send/bodies.ts`). */
export interface DeliverySource {
  sourceEventId: string;
  sourceEventStream: string;
  /** Decimal text. */
  sourceRevision: string;
  sourcePosition: string;
}

/** A manually requested delivery. `attempts` is the number made before; numbering continues from there. */
export interface RecoveredDelivery extends ScheduledDelivery, DeliverySource {
  attempts: number;
}

export type AttemptOutcome = 'delivered' | 'failed' | 'refused' | 'exhausted';

export interface RecordedAttempt {
  deliveryId: string;
  endpointId: string;
  sourceEventId: string;
  /** Counts from 1, across resends. */
  attempt: number;
  at: string;
  /** HTTP status; `null` if there was no response. */
  status: number | null;
  milliseconds: number;
  outcome: AttemptOutcome;
  /** A short cause, such as `timed out`. Never text from the target. */
  reason: string | null;
  nextAt: string | null;
  /** Location of the response excerpt, `<topic>/<sequence>`, kept for 7 days. */
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
 * Facts about a user's deliveries. Event stream `delivery-<subject>`: written only by the holder of the user's partition, hash-chained, not sealed,
 * kept for 30 days.
 */
export const DELIVERY_EVENTS = {
  /** One for each source event and renderer, in one append, and only if `sourcePosition` is above the last one: a repeated fan-out schedules nothing twice. */
  DeliveriesScheduled: event(
    object({ ...source, renderer: ordinal, deadline: text, deliveries: list(objectOf<ScheduledDelivery>(scheduled)) }),
  ),
  /**
   * Answers a recovery, a resend or a ping, although its name says recovery only (stored names cannot change). The request is the event
   * `requestEventId` at `requestPosition`. A recovery may take several: one for each renderer and
   * 400 deliveries. `last` marks the final one, and `scheduled` counts over all of them. `refused` says why nothing was scheduled.
   */
  DeliveriesRecovered: event(
    object({
      requestEventId: id,
      requestPosition: text,
      renderer: ordinal,
      deadline: text,
      /** `true`: a single attempt. `false`: attempts by the retry schedule. */
      once: flag,
      deliveries: list(objectOf<RecoveredDelivery>({ ...scheduled, ...source, attempts: count })),
      scheduled: count,
      last: flag,
      refused,
    }),
  ),
  /** The endpoint was disabled or deleted, so these deliveries are not retried. */
  DeliveriesStopped: event(object({ endpointId: id, reason: text, deliveryIds: list(id) })),
  AttemptsRecorded: event(object({ attempts: list(attempt) })),
  /** Written before older facts expire and after a move to another store, so that no delivery is forgotten or repeated. */
  DeliveryCarried: event(
    object({ lastSourcePosition: text, lastRequestPosition: text, sequences: record(ordinal), failing: record(text) }),
  ),
};

export type DeliveryEvent = EventOf<typeof DELIVERY_EVENTS>;
export const DELIVERY_EVENT_TYPES: readonly string[] = Object.keys(DELIVERY_EVENTS);
export const isDeliveryEvent = guardOf(DELIVERY_EVENTS);

export const deliveryEventStream = (subject: string): string => `delivery-${subject}`;
