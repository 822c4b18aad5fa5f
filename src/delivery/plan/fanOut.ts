import type { DeliveryEvent, DeliverySource, ScheduledDelivery } from '../../domain/delivery/events.ts';
import type { PendingDeliveries } from '../../domain/delivery/state.ts';
import { uuidv5 } from '../../domain/uuidv5.ts';
import type { WebhookEndpointsState } from '../../domain/webhookEndpoints/state.ts';
import { isDynamicFilter, listensTo } from '../../domain/webhookEndpoints/webhookEventTypes.ts';
import type { RecordedEvent } from '../../stores/log/eventLog.ts';
import { audienceOf } from './audience.ts';
import { bodyVersionOf, dynamicTargets, type EventContext, NEWEST_BODY_VERSION, webhookEventId, webhookTypes } from './webhookTypes.ts';

/** A delivery that has no number in its endpoint's sequence yet. */
type Addressed = Omit<ScheduledDelivery, 'sequence'>;

/** A delivery of an event, the version that renders its body, and the retry window of its endpoint (`null`: the server's). */
export interface Planned {
  readonly delivery: Addressed;
  readonly renderer: number;
  readonly retryWindow: number | null;
}

export const sourceOf = ({ id, eventStream, revision, position }: RecordedEvent): DeliverySource => ({
  sourceEventId: id,
  sourceEventStream: eventStream,
  sourceRevision: String(revision),
  sourcePosition: position,
});

/** `eventId`: see `webhookEventId`. It is the same text for all endpoints, so that it is in memory once. */
export const addressDelivery = (
  eventId: string,
  type: string,
  endpointId: string,
  dynamic: { streamId: string; url: string } | null,
): Addressed => {
  const deliveryId = uuidv5(endpointId, eventId);
  return { deliveryId, endpointId, eventId, type, dynamicStreamId: dynamic?.streamId ?? null, url: dynamic?.url ?? null };
};

/** Deliveries of an event: to the user's endpoints that were enabled at its position, and to the dynamic webhooks of its stream or group. */
export const fanOut = (event: RecordedEvent, context: EventContext, endpoints: WebhookEndpointsState): Planned[] => {
  const types = webhookTypes(event, context);
  const dynamic = dynamicTargets(context).filter(({ endpoint }) => !endpoints.disabledDynamic.has(endpoint.id));
  return types.flatMap((type) => {
    const eventId = webhookEventId(event.id, type);
    const isFor = audienceOf(event, type, context);
    return [
      ...endpoints.endpoints
        .filter((endpoint) => endpoint.enabled && isFor(endpoint))
        .map(({ endpointId, payload, retryWindow }) => ({
          delivery: addressDelivery(eventId, type, endpointId, null),
          renderer: bodyVersionOf(type, payload),
          retryWindow,
        })),
      ...dynamic
        .filter(({ endpoint }) => isDynamicFilter(type) && listensTo(endpoint.events, type))
        .map(({ endpoint, streamId }) => ({
          delivery: addressDelivery(eventId, type, endpoint.id, { streamId, url: endpoint.url }),
          renderer: NEWEST_BODY_VERSION.full,
          retryWindow: null,
        })),
    ];
  });
};

/** Returns a function that gives each delivery the next number of its endpoint. */
export const numberingFrom = (state: PendingDeliveries): ((delivery: Addressed) => ScheduledDelivery) => {
  const given = new Map<string, number>();
  return (delivery) => {
    const sequence = (given.get(delivery.endpointId) ?? state.sequences.get(delivery.endpointId) ?? 0) + 1;
    given.set(delivery.endpointId, sequence);
    return { ...delivery, sequence };
  };
};

/** Groups by renderer, in order of first appearance. */
export const byRenderer = <T extends { readonly renderer: number }>(planned: readonly T[]): { renderer: number; all: T[] }[] =>
  [...new Set(planned.map(({ renderer }) => renderer))].map((renderer) => ({
    renderer,
    all: planned.filter((one) => one.renderer === renderer),
  }));

/** The most pending deliveries of one user. Each takes about a kilobyte of memory until it is delivered or given up. */
export const MOST_PENDING = 50_000;

/** Stops deliveries at once. A person can recover them when the receivers are back. */
const giveUp = (planned: readonly Planned[]): DeliveryEvent[] =>
  [...new Set(planned.map(({ delivery }) => delivery.endpointId))].map((endpointId) => ({
    type: 'DeliveriesStopped',
    data: {
      endpointId,
      reason: 'too many pending deliveries',
      deliveryIds: planned.flatMap(({ delivery }) => (delivery.endpointId === endpointId ? [delivery.deliveryId] : [])),
    },
  }));

/**
 * The facts that schedule the deliveries of one event: one for each renderer and retry window, for one append. Empty if the event has been scheduled already.
 */
export const factsOfScheduling = (
  state: PendingDeliveries,
  event: RecordedEvent,
  planned: readonly Planned[],
  deadlineOf: (retryWindow: number | null) => string,
): DeliveryEvent[] => {
  if (event.position <= state.lastSourcePosition) return [];
  const number = numberingFrom(state);
  const windows = [...new Set(planned.map(({ retryWindow }) => retryWindow))];
  const facts = windows.flatMap((retryWindow) =>
    byRenderer(planned.filter((one) => one.retryWindow === retryWindow)).map(
      ({ renderer, all }): DeliveryEvent => ({
        type: 'DeliveriesScheduled',
        data: {
          ...sourceOf(event),
          renderer,
          deadline: deadlineOf(retryWindow),
          deliveries: all.map(({ delivery }) => number(delivery)),
        },
      }),
    ),
  );
  return state.pending.size + planned.length > MOST_PENDING ? [...facts, ...giveUp(planned)] : facts;
};
