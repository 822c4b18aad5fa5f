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

/**
 * What the holder of a user's partition has done. Event stream `delivery-<subject>`: written by the holder alone, chained, not sealed,
 * kept for 30 days.
 */
export type DeliveryEvent =
  /** One a source event, never for a `sourcePosition` that is not above the last one: a fan-out that runs twice schedules nothing twice. */
  | { type: 'DeliveriesScheduled'; data: DeliverySource & { renderer: number; deadline: string; deliveries: ScheduledDelivery[] } }
  /**
   * Answers a recovery, a resend or a ping: the event `requestEventId` at `requestPosition`. A large recovery takes several; `last` marks the
   * one that ends it, and `scheduled` counts over all of them. `refused` says why nothing was scheduled.
   */
  | {
      type: 'DeliveriesRecovered';
      data: {
        requestEventId: string;
        requestPosition: string;
        renderer: number;
        deadline: string;
        /** True: one attempt, whatever comes of it. False: as the schedule says. */
        once: boolean;
        deliveries: RecoveredDelivery[];
        scheduled: number;
        last: boolean;
        refused: 'pending' | 'unknown' | 'disabled' | null;
      };
    }
  /** Their endpoint was disabled or deleted: they are not tried any more. */
  | { type: 'DeliveriesStopped'; data: { endpointId: string; reason: string; deliveryIds: string[] } }
  | { type: 'AttemptsRecorded'; data: { attempts: RecordedAttempt[] } }
  /** Written before the older facts expire, and after a move to another store: nothing is forgotten and nothing sent again. */
  | {
      type: 'DeliveryCarried';
      data: { lastSourcePosition: string; lastRequestPosition: string; sequences: Record<string, number>; failing: Record<string, string> };
    };

export const deliveryEventStream = (subject: string): string => `delivery-${subject}`;

const EVENT_TYPES: Readonly<Record<DeliveryEvent['type'], true>> = {
  DeliveriesScheduled: true,
  DeliveriesRecovered: true,
  DeliveriesStopped: true,
  AttemptsRecorded: true,
  DeliveryCarried: true,
};

export const DELIVERY_EVENT_TYPES: readonly string[] = Object.keys(EVENT_TYPES);

/** Whether an event of the log is a fact of deliveries. Its data were checked against the type's schema when it was appended. */
export const isDeliveryEvent = <T extends { type: string; data: object }>(event: T): event is T & DeliveryEvent =>
  Object.hasOwn(EVENT_TYPES, event.type);
