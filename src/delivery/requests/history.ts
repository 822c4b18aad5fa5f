import {
  type AttemptOutcome,
  type DeliverySource,
  deliveryEventStream,
  isDeliveryEvent,
  type RecoveredDelivery,
  type ScheduledDelivery,
} from '../../domain/delivery/events.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { eventStreamPages } from '../../stores/pages.ts';

/** A delivery folded from the facts of the last 30 days. */
export interface KnownDelivery {
  readonly delivery: RecoveredDelivery;
  /** Renderer of its first scheduling: a resend has the same bytes. */
  readonly renderer: number;
  readonly state: AttemptOutcome | 'pending';
}

interface History {
  readonly byDelivery: ReadonlyMap<string, KnownDelivery>;
  /** How many deliveries a request has scheduled already. */
  readonly answered: number;
}

const PAGE = 500;

/**
 * Folds the facts of the requested deliveries, by delivery id. Unlike `PendingDeliveries` (`domain/delivery/state.ts`) it keeps deliveries that have
 * ended; unlike `projections/deliveries.ts` it is never behind the log. Rejects with `StoreUnavailable`.
 */
const history = async (
  log: EventLog,
  subject: string,
  wanted: (deliveryId: string, endpointId: string) => boolean,
  requestEventId: string | null,
): Promise<History> => {
  const byDelivery = new Map<string, KnownDelivery>();
  let answered = 0;
  const begin = (
    delivery: ScheduledDelivery,
    source: DeliverySource,
    { attempts, renderer }: { attempts: number; renderer: number },
  ): void => {
    const { sourceEventId, sourceEventStream, sourceRevision, sourcePosition } = source;
    if (!wanted(delivery.deliveryId, delivery.endpointId)) return;
    const from = { sourceEventId, sourceEventStream, sourceRevision, sourcePosition };
    const first = byDelivery.get(delivery.deliveryId)?.renderer ?? renderer;
    byDelivery.set(delivery.deliveryId, { delivery: { ...delivery, ...from, attempts }, renderer: first, state: 'pending' });
  };
  const end = (deliveryId: string, state: KnownDelivery['state'], attempts?: number): void => {
    const known = byDelivery.get(deliveryId);
    if (known)
      byDelivery.set(deliveryId, { ...known, delivery: { ...known.delivery, attempts: attempts ?? known.delivery.attempts }, state });
  };
  for await (const page of eventStreamPages(log, deliveryEventStream(subject), PAGE))
    for (const event of page) {
      if (!isDeliveryEvent(event)) continue;
      if (event.type === 'DeliveriesScheduled')
        for (const one of event.data.deliveries) begin(one, event.data, { attempts: 0, renderer: event.data.renderer });
      if (event.type === 'DeliveriesRecovered') {
        for (const one of event.data.deliveries) begin(one, one, { attempts: one.attempts, renderer: event.data.renderer });
        if (event.data.requestEventId === requestEventId) answered += event.data.deliveries.length;
      }
      if (event.type === 'DeliveriesStopped') for (const deliveryId of event.data.deliveryIds) end(deliveryId, 'failed');
      if (event.type === 'AttemptsRecorded')
        for (const { deliveryId, outcome, attempt, nextAt } of event.data.attempts)
          end(deliveryId, nextAt === null ? outcome : (byDelivery.get(deliveryId)?.state ?? 'pending'), attempt);
    }
  return { byDelivery, answered };
};

/** All deliveries of one endpoint. */
export const knownDeliveries = (log: EventLog, subject: string, endpointId: string, requestEventId: string): Promise<History> =>
  history(log, subject, (_, of) => of === endpointId, requestEventId);

/** One delivery; `null` if no fact names it. */
export const knownDelivery = async (log: EventLog, subject: string, deliveryId: string): Promise<KnownDelivery | null> =>
  (await history(log, subject, (id) => id === deliveryId, null)).byDelivery.get(deliveryId) ?? null;
