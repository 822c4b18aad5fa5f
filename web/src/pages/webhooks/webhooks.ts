import { getJson, send } from '../../api/request.ts';
import type { JsonObject, PageOf } from '../../api/types.ts';
import { type Resource, useResource } from '../../api/useResource.ts';
import { place } from '../../shell/place.ts';
import { type Delivery, hasSuccess, type RecentHealth, recentHealthOf } from './deliveries.ts';

const ENDPOINTS = '/notification-service/api/v1/webhook-endpoints';
// Read often while one is pending; otherwise from time to time, for new ones.
const BUSY_MILLISECONDS = 2_000;
const IDLE_MILLISECONDS = 5_000;
const HEALTH_MILLISECONDS = 10_000;
// Deliveries by which an endpoint's health is judged; its last success is looked for beyond them.
const NEWEST = 50;

/** `full`: the whole stream or group. `slim`: ids and links. */
export type PayloadForm = 'full' | 'slim';

export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly description: string | null;
  readonly payload: PayloadForm;
  /** Why the platform has disabled it; `null` while it is enabled, or when its owner did it. */
  readonly disabledReason: string | null;
  readonly disabledTimestamp: string | null;
}

export interface EndpointDraft {
  readonly id?: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly enabled?: boolean;
  readonly description: string | null;
  readonly payload: PayloadForm;
}

/** The owner that an administrator has chosen, as the address says; `null`: the caller. Requests and links pass it on. */
export const chosenOwner = (): { readonly subject: string | null } => ({ subject: place.value.query.get('subject') });

export const useEndpoints = (): Resource<readonly WebhookEndpoint[]> => {
  const query = chosenOwner();
  return useResource({
    key: `endpoints ${query.subject}`,
    load: (signal) => getJson<readonly WebhookEndpoint[]>(ENDPOINTS, { query, signal }),
  });
};

export const useEndpoint = (id: string): Resource<WebhookEndpoint> =>
  useResource({ key: id, load: (signal) => getJson<WebhookEndpoint>(of(id), { query: chosenOwner(), signal }) });

/** Filters of a search for deliveries; empty texts match all. */
export interface DeliveryQuery {
  readonly state?: string;
  readonly type?: string;
  readonly streamId?: string;
  readonly eventId?: string;
  readonly page?: number;
  readonly size: number;
}

export const useDeliveries = (id: string, query: DeliveryQuery): Resource<PageOf<Delivery>> =>
  useResource({
    key: JSON.stringify([id, query]),
    load: (signal) => getJson<PageOf<Delivery>>(deliveriesPath(id), { query: { ...query, ...chosenOwner() }, signal }),
    every: (known) => (known?.content.some((delivery) => delivery.state === 'pending') ? BUSY_MILLISECONDS : IDLE_MILLISECONDS),
  });

/** The health of each endpoint, by its id. */
export const useHealth = (endpoints: readonly WebhookEndpoint[]): Resource<ReadonlyMap<string, RecentHealth>> =>
  useResource({
    key: endpoints.map(({ id, enabled }) => `${id}${enabled}`).join(),
    load: async (signal) =>
      new Map(await Promise.all(endpoints.map(async (endpoint) => [endpoint.id, await readHealth(endpoint, signal)] as const))),
    every: () => HEALTH_MILLISECONDS,
  });

const readHealth = async ({ id, enabled }: WebhookEndpoint, signal: AbortSignal): Promise<RecentHealth> => {
  const read = (query: DeliveryQuery) => getJson<PageOf<Delivery>>(deliveriesPath(id), { query: { ...query, ...chosenOwner() }, signal });
  const { content, totalElements } = await read({ size: NEWEST });
  if (hasSuccess(content) || totalElements <= content.length) return recentHealthOf(enabled, content);
  return recentHealthOf(enabled, content, (await read({ state: 'delivered', size: 1 })).content);
};

export const useSupportedEvents = (): Resource<readonly string[]> =>
  useResource({ key: 'events', load: (signal) => getJson<readonly string[]>(`${ENDPOINTS}/supported-events`, { signal }) });

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
