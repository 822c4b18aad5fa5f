import type { DeliveryEvent } from '../../domain/delivery/events.ts';
import type { PendingDeliveries } from '../../domain/delivery/state.ts';
import type { WebhookEndpointsEvent } from '../../domain/webhookEndpoints/events.ts';

/** An endpoint whose pending deliveries stop. */
export interface Stop {
  readonly endpointId: string;
  readonly reason: string;
  readonly deleted: boolean;
}

/** The endpoint whose pending deliveries an event stops, and why; `null` if it stops none. */
export const stopOf = (event: WebhookEndpointsEvent): Stop | null => {
  switch (event.type) {
    case 'EndpointDeleted':
      return { endpointId: event.data.endpointId, reason: 'endpoint deleted', deleted: true };
    case 'EndpointDisabled':
      return { endpointId: event.data.endpointId, reason: 'endpoint disabled', deleted: false };
    case 'EndpointToggled':
    case 'EndpointUpdated':
      return event.data.enabled ? null : { endpointId: event.data.endpointId, reason: 'endpoint disabled', deleted: false };
    default:
      return null;
  }
};

const STOPPED_TOGETHER = 2_000;
/** Most deliveries that one decision stops. All its facts are one append, which may have 1 MiB: an endpoint may have twice as many deliveries. */
const MOST_STOPPED = 10_000;

/**
 * The next facts that stop the deliveries that were pending when an endpoint was disabled or deleted at `position`; empty if none is left. Those that a
 * person asked for continue, unless the endpoint was deleted.
 */
export const factsOfStopping = (state: PendingDeliveries, { endpointId, reason, deleted }: Stop, position: string): DeliveryEvent[] => {
  const deliveryIds = state
    .ofEndpoint(endpointId)
    .filter(({ scheduling }) => scheduling.causedAt < position && (deleted || !scheduling.once))
    .slice(0, MOST_STOPPED)
    .map(({ delivery }) => delivery.deliveryId);
  const facts: DeliveryEvent[] = [];
  for (let n = 0; n < deliveryIds.length; n += STOPPED_TOGETHER)
    facts.push({ type: 'DeliveriesStopped', data: { endpointId, reason, deliveryIds: deliveryIds.slice(n, n + STOPPED_TOGETHER) } });
  return facts;
};
