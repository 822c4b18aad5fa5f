/** One webhook that is due: one webhook event for one endpoint. */
export interface ScheduledDelivery {
  /** `uuidv5(endpointId, eventId)`; a resend keeps it. */
  deliveryId: string;
  endpointId: string;
  /** Id of the webhook event, the same for every endpoint: `uuidv5(sourceEventId, type)`; `webhook-id` of every attempt. */
  eventId: string;
  /** Event type of the public interface, such as `stream.completed`. */
  type: string;
  /** Numbers an endpoint's deliveries without gaps, from 1; `null` for a ping. */
  sequence: number | null;
  /** Of a dynamic webhook: whose stream's; `null` for a standard endpoint. */
  dynamicStreamId: string | null;
}

export type AttemptOutcome = 'delivered' | 'failed' | 'refused' | 'exhausted';

/**
 * What the holder of a user's partition has done. Event stream `delivery-<subject>`: written by the holder alone, chained, not sealed,
 * kept for 30 days.
 */
export type DeliveryEvent =
  /** One a source event, never for a `sourcePosition` that is not above the last one: a fan-out that runs twice schedules nothing twice. */
  | {
      type: 'DeliveriesScheduled';
      data: { sourceEventId: string; sourcePosition: string; renderer: number; deadline: string; deliveries: ScheduledDelivery[] };
    }
  /** For a recovery, a resend or a ping that was asked for by `requestEventId`. */
  | {
      type: 'DeliveriesRecovered';
      data: {
        requestEventId: string;
        renderer: number;
        deadline: string;
        /** How many attempts there may be; `null`: as the schedule says. */
        attempts: number | null;
        deliveries: (ScheduledDelivery & { sourceEventId: string; sourcePosition: string })[];
      };
    }
  | {
      type: 'AttemptsRecorded';
      data: {
        attempts: {
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
        }[];
      };
    }
  /** Written before the older facts expire, and after a move to another store: nothing is forgotten and nothing sent again. */
  | { type: 'DeliveryCarried'; data: { lastSourcePosition: string; sequences: Record<string, number> } };

export const deliveryEventStream = (subject: string): string => `delivery-${subject}`;
