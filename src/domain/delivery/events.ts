import type { Schema, Shape } from '../../json.ts';
import * as s from '../../schema.ts';
import { type EventOf, event, guardOf, personal } from '../eventForms.ts';

const scheduled = {
  /** `uuidv5(endpointId, eventId)`, unchanged by a resend. For a ping, the id of its request. */
  deliveryId: s.id,
  endpointId: s.id,
  /** Id of the webhook event, the same for all endpoints: `uuidv5(sourceEventId, type)`. Sent as `webhook-id` with every attempt. */
  eventId: s.id,
  /** Public event type, such as `stream.completed` or `ping`. */
  type: s.id,
  /** Gapless number within an endpoint's deliveries, from 1; `null` for a ping. */
  sequence: s.nullable(s.ordinal),
  /** For a dynamic webhook: the stream that first named it, and its URL. Both `null` for a standard endpoint. */
  dynamicStreamId: s.nullable(s.text),
  url: personal(s.nullable(s.text)),
};
const scheduledDelivery = s.object(scheduled);
/** One due webhook: a webhook event for one endpoint. */
export type ScheduledDelivery = Shape<typeof scheduledDelivery>;

/** `sourceRevision`: decimal text. */
const source = { sourceEventId: s.id, sourceEventStream: s.id, sourceRevision: s.text, sourcePosition: s.text };
/** The log event that a delivery reports. Every attempt reads and renders it again, unless its body is cached (`send/bodies.ts`). */
export type DeliverySource = { [Member in keyof typeof source]: string };

const recoveredDelivery = s.object({ ...scheduled, ...source, attempts: s.count });
/** A delivery that is scheduled again: for a request, or after a move to another store. `attempts` were made before; numbering continues there. */
export type RecoveredDelivery = Shape<typeof recoveredDelivery>;

/** The end of a recorded attempt; the outcome of the last attempt is the state of the delivery. `delivery/retryRules.ts` has a table. */
export const ATTEMPT_OUTCOMES = ['delivered', 'failed', 'refused', 'exhausted'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** Reasons of attempts that ended before anything was sent, because of this side. They say nothing about the endpoint. */
export const NOTHING_SENT: ReadonlySet<string> = new Set([
  'event not readable',
  'webhook cannot be built',
  'store unavailable',
  'newer version needed',
]);

const milliseconds: Schema<number> = { type: 'number', minimum: 0 };
const attempt = s.object(
  {
    deliveryId: s.id,
    endpointId: s.id,
    sourceEventId: s.id,
    /** Counts from 1, across resends. */
    attempt: s.ordinal,
    /** When sending began, ISO 8601. */
    at: s.text,
    /** HTTP status; `null` if there was no response. */
    status: s.nullable(s.integer),
    milliseconds,
    outcome: s.oneOf(...ATTEMPT_OUTCOMES),
    /** A short cause, such as `timed out`. Never text from the target. */
    reason: s.nullable(s.text),
    nextAt: s.nullable(s.text),
    /** Location of the response excerpt, `<topic>/<sequence>`, kept for 7 days. */
    response: s.nullable(s.text),
  },
  {
    /** Whether the attempt is a failure of its endpoint (`endpointFails` in `delivery/retryRules.ts`). Absent in older facts. */
    endpointFails: s.flag,
  },
);
export type RecordedAttempt = Shape<typeof attempt>;

const refused: Schema<'pending' | 'ended' | 'unknown' | 'disabled' | null> = { enum: ['pending', 'ended', 'unknown', 'disabled', null] };

/**
 * Facts about a user's deliveries. `s.id` stands for any text that is not empty.
 *
 * Event stream `delivery-<subject>`: written only by the holder of the user's partition, hash-chained, not sealed,
 * kept for 30 days.
 */
export const DELIVERY_EVENTS = {
  /**
   * One for each renderer of a source event, all in one append. A source event at or before the last `sourcePosition` is skipped, so reading the
   * log again schedules nothing twice.
   */
  DeliveriesScheduled: event(s.object({ ...source, renderer: s.ordinal, deadline: s.text, deliveries: s.list(scheduledDelivery) })),
  /**
   * Answers a recovery, a resend, a ping or a "send now", although its name says recovery only (stored names cannot change). Also schedules the pending
   * deliveries of a moved log again; then the "request" is the event that completed the move. The request is the event `requestEventId` at
   * `requestPosition`. A recovery may take several facts: one for each renderer and about 400 deliveries. `last` marks the final one, and
   * `scheduled` counts over all of them. `refused` says why nothing was scheduled.
   */
  DeliveriesRecovered: event(
    s.object(
      {
        requestEventId: s.id,
        requestPosition: s.text,
        renderer: s.ordinal,
        deadline: s.text,
        /** `true`: a single attempt. `false`: attempts by the retry schedule. */
        once: s.flag,
        deliveries: s.list(recoveredDelivery),
        scheduled: s.count,
        last: s.flag,
        refused,
      },
      {
        /** Id of a pending delivery whose next attempt is due at once. Its retry schedule stays. */
        sendNow: s.id,
      },
    ),
  ),
  /** These deliveries end without a further attempt; `reason` says why: their endpoint was disabled or deleted, or too many were pending. */
  DeliveriesStopped: event(s.object({ endpointId: s.id, reason: s.text, deliveryIds: s.list(s.id) })),
  /**
   * The facts about these deliveries from before a time (ISO 8601) have left the log, so they leave the read model too: a delivery that was scheduled
   * before, or its attempts from then.
   */
  DeliveriesForgotten: event(s.object({ before: s.text, deliveryIds: s.list(s.id) })),
  AttemptsRecorded: event(s.object({ attempts: s.list(attempt) })),
  /** Written before older facts expire and after a move to another store, so that no delivery is forgotten or repeated. */
  DeliveryCarried: event(
    s.object({ lastSourcePosition: s.text, lastRequestPosition: s.text, sequences: s.map(s.ordinal), failing: s.map(s.text) }),
  ),
};

export type DeliveryEvent = EventOf<typeof DELIVERY_EVENTS>;
export const DELIVERY_EVENT_TYPES: readonly string[] = Object.keys(DELIVERY_EVENTS);
export const isDeliveryEvent = guardOf(DELIVERY_EVENTS);

const PREFIX = 'delivery-';

export const deliveryEventStream = (subject: string): string => `${PREFIX}${subject}`;

export const subjectOfFacts = (eventStream: string): string => eventStream.slice(PREFIX.length);
