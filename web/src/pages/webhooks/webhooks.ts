import { getJson, send } from '../../api/request.ts';
import type { Json, JsonObject, PageOf } from '../../api/types.ts';
import { type Resource, useResource } from '../../api/useResource.ts';
import { place } from '../../shell/place.ts';
import type { Delivery, EndpointHealth } from './deliveries.ts';

const ENDPOINTS = '/notification-service/api/v1/webhook-endpoints';
// Read often while one is pending; otherwise from time to time, for new ones.
const BUSY_MILLISECONDS = 2_000;
const IDLE_MILLISECONDS = 5_000;
const HEALTH_MILLISECONDS = 5_000;

/** `full`: the whole stream or group. `slim`: ids and links. */
export type PayloadForm = 'full' | 'slim';

export interface WebhookEndpoint {
  readonly id: string;
  /** Owner. Only in a list of all users. */
  readonly subject?: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly description: string | null;
  readonly payload: PayloadForm;
  /** With `***` for each value. */
  readonly headers: JsonObject;
  readonly filter: JsonObject | null;
  /** Seconds; that of the server if the endpoint has none. */
  readonly retryWindow: number;
  /** Why the platform has disabled it; `null` while it is enabled, or when its owner did it. */
  readonly disabledReason: string | null;
  readonly disabledTimestamp: string | null;
  readonly health: EndpointHealth;
}

export interface EndpointDraft {
  readonly id?: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly enabled?: boolean;
  readonly description: string | null;
  readonly payload: PayloadForm;
  /** `null`: none. */
  readonly headers: Json;
  readonly filter: Json;
  /** Seconds. `null`: as the server is set; absent: unchanged. */
  readonly retryWindow?: number | null;
}

/** The owner that an administrator has chosen, as the address says; `null`: the caller. Requests and links pass it on. */
export const chosenOwner = (): { readonly subject: string | null } => ({ subject: place.value.query.get('subject') });

/** The endpoints with a health; empty text: all. Held ones are failing, too. */
export const useEndpoints = (health: string): Resource<readonly WebhookEndpoint[]> => {
  const query = { ...chosenOwner(), health: health === 'failing' ? ['failing,held'] : health };
  return useResource({
    key: `endpoints ${query.subject} ${health}`,
    load: (signal) => getJson<readonly WebhookEndpoint[]>(ENDPOINTS, { query, signal }),
    every: () => HEALTH_MILLISECONDS,
  });
};

export const useEndpoint = (id: string): Resource<WebhookEndpoint> =>
  useResource({
    key: id,
    load: (signal) => getJson<WebhookEndpoint>(of(id), { query: chosenOwner(), signal }),
    every: () => HEALTH_MILLISECONDS,
  });

/** Filters of a search for deliveries; empty texts match all. */
export interface DeliveryQuery {
  readonly state?: string;
  readonly type?: string;
  readonly streamId?: string;
  readonly eventId?: string;
  readonly statusClass?: string;
  /** ISO 8601. */
  readonly since?: string;
  readonly until?: string;
  readonly page?: number;
  readonly size: number;
}

export const useDeliveries = (id: string, query: DeliveryQuery): Resource<PageOf<Delivery>> =>
  useResource({
    key: JSON.stringify([id, query]),
    load: (signal) => getJson<PageOf<Delivery>>(deliveriesPath(id), { query: { ...query, ...chosenOwner() }, signal }),
    every: (known) => (known?.content.some((delivery) => delivery.state === 'pending') ? BUSY_MILLISECONDS : IDLE_MILLISECONDS),
  });

export const useSupportedEvents = (): Resource<readonly string[]> =>
  useResource({
    key: 'events',
    load: (signal) => getJson<readonly string[]>(`${ENDPOINTS}/supported-events`, { query: { all: 'true' }, signal }),
  });

/** A change of an endpoint of the chosen owner. */
const change = <T>(method: 'PUT' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<T> =>
  send<T>(method, path, { query: chosenOwner(), body });

export const save = (draft: EndpointDraft) => change<WebhookEndpoint>('PUT', ENDPOINTS, draft);
export const setEnabled = (id: string, enabled: boolean) => change<WebhookEndpoint>('PATCH', `${of(id)}/enabled/${enabled}`);
export const remove = (id: string) => change<void>('DELETE', of(id));
export const ping = (id: string) => change<{ readonly deliveryId: string }>('POST', `${of(id)}/test`);
export const recoverSince = (id: string, since: string) => change<{ readonly scheduled: number }>('POST', `${of(id)}/recover`, { since });
export const resend = (id: string, deliveryId: string) =>
  change<void>('POST', `${of(id)}/deliveries/${encodeURIComponent(deliveryId)}/resend`);
export const sendNow = (id: string, deliveryId: string) =>
  change<void>('POST', `${of(id)}/deliveries/${encodeURIComponent(deliveryId)}/send-now`);
export const usePayload = (id: string, deliveryId: string): Resource<JsonObject> =>
  useResource({
    key: deliveryId,
    load: (signal) =>
      getJson<JsonObject>(`${deliveriesPath(id)}/${encodeURIComponent(deliveryId)}/payload`, { query: chosenOwner(), signal }),
  });
export const secretOf = (id: string) => getJson<{ readonly secret: string }>(`${of(id)}/secret`, { query: chosenOwner() });
export const rotateSecret = (id: string) =>
  change<{ readonly secret: string; readonly previousValidUntil: string }>('POST', `${of(id)}/secret/rotate`);

const deliveriesPath = (id: string): string => `${of(id)}/deliveries`;

const of = (id: string): string => `${ENDPOINTS}/${encodeURIComponent(id)}`;
