import { isDeepStrictEqual } from 'node:util';
import { checkIfMatch, type IfMatch } from '../ifMatch.ts';
import { conflict, notFound, Problem } from '../problem.ts';
import type { EndpointSettings, WebhookEndpointsEvent, WebhookPayload } from './events.ts';
import { checkFilter, type Filter } from './filter.ts';
import { type Headers, wantedHeaders } from './headers.ts';
import { type Endpoint, findEndpoint, type WebhookEndpointsState } from './state.ts';

/** Decisions about one user's set of endpoints. Each returns the events to append (an empty list if nothing changes) or throws a `Problem`. */
type Decided = readonly WebhookEndpointsEvent[];

/**
 * Settings as a caller sends them. Those that older clients do not know keep their values while they are absent (`payload` also while it is `null`).
 * `null` clears the others.
 */
export interface EndpointDraft extends Pick<EndpointSettings, 'url' | 'events' | 'enabled' | 'description'> {
  readonly payload: WebhookPayload | null;
  readonly headers?: Headers | null | undefined;
  readonly filter?: Filter | null | undefined;
  readonly retryWindow?: number | null | undefined;
}

/** Limits of an endpoint's own retry window, in seconds. */
export const RETRY_WINDOW = { least: 3_600, most: 604_800 } as const;

export const MAX_ENDPOINTS = 20;

/** The entity tag of an endpoint as it is shown, without quotes. */
export const endpointTag = ({ version }: Endpoint): string => String(version);

/** 403, the same for an endpoint that is unknown and for another's. */
const requireEndpoint = (state: WebhookEndpointsState, endpointId: string): Endpoint => {
  const endpoint = findEndpoint(state, endpointId);
  if (!endpoint) throw new Problem('GENERAL_AUTHORIZATION_ERROR', 'You have no webhook endpoint with this id.');
  return endpoint;
};

/** 404, the same for an unknown endpoint and for another's. */
export const visibleEndpoint = (state: WebhookEndpointsState, endpointId: string): Endpoint => {
  const endpoint = findEndpoint(state, endpointId);
  if (!endpoint) throw notFound('webhook endpoint');
  return endpoint;
};

/** WEBHOOK_ENDPOINTS_DEFINITION_LIMIT_REACHED if the user already has 20, including disabled ones. `endpointId` is new. */
export const createEndpoint = (state: WebhookEndpointsState, endpointId: string, draft: EndpointDraft, ifMatch: IfMatch): Decided => {
  checkIfMatch(ifMatch, null);
  if (state.endpoints.length >= MAX_ENDPOINTS)
    throw new Problem(
      'WEBHOOK_ENDPOINTS_DEFINITION_LIMIT_REACHED',
      `You have reached the limit of ${MAX_ENDPOINTS} webhook endpoints, including disabled ones. Delete one first.`,
    );
  return [{ type: 'EndpointCreated', data: { endpointId, ...settingsOf(draft, null) } }];
};

/** `undefined` keeps the value that is there. */
const wantedOr = <T>(wanted: T | undefined, kept: T): T => (wanted === undefined ? kept : wanted);

/** Throws WEBHOOK_CONFIGURATION_ERROR for settings that cannot be used. */
const settingsOf = (draft: EndpointDraft, before: Endpoint | null): EndpointSettings => {
  const { url, events, enabled, description, payload } = draft;
  const known = before?.headers ?? {};
  const headers = draft.headers === undefined ? known : wantedHeaders(draft.headers ?? {}, known);
  const filter = wantedOr(draft.filter, before?.filter ?? null);
  if (filter) checkFilter(filter);
  const retryWindow = wantedOr(draft.retryWindow, before?.retryWindow ?? null);
  if (draft.retryWindow && (draft.retryWindow < RETRY_WINDOW.least || draft.retryWindow > RETRY_WINDOW.most))
    throw new Problem('WEBHOOK_CONFIGURATION_ERROR', `retryWindow must be ${RETRY_WINDOW.least} to ${RETRY_WINDOW.most} seconds.`);
  return {
    ...{ url, events, enabled, description, headers, retryWindow },
    payload: payload ?? before?.payload ?? 'full',
    filter: filter && Object.keys(filter).length > 0 ? filter : null,
  };
};

const isAsWanted = (endpoint: Endpoint, settings: EndpointSettings): boolean => {
  const { url, events, enabled, description, payload, headers, filter, retryWindow } = endpoint;
  return isDeepStrictEqual({ url, events, enabled, description, payload, headers, filter, retryWindow }, settings);
};

/** Replaces all settings of the owner. 403 for an endpoint that is not the user's. */
export const updateEndpoint = (state: WebhookEndpointsState, endpointId: string, draft: EndpointDraft, ifMatch: IfMatch): Decided => {
  const endpoint = requireEndpoint(state, endpointId);
  checkIfMatch(ifMatch, endpointTag(endpoint));
  const settings = settingsOf(draft, endpoint);
  return isAsWanted(endpoint, settings) ? [] : [{ type: 'EndpointUpdated', data: { endpointId, ...settings } }];
};

/** 403 for an endpoint that is not the user's. */
export const toggleEndpoint = (state: WebhookEndpointsState, endpointId: string, enabled: boolean, ifMatch: IfMatch): Decided => {
  const endpoint = requireEndpoint(state, endpointId);
  checkIfMatch(ifMatch, endpointTag(endpoint));
  return endpoint.enabled === enabled ? [] : [{ type: 'EndpointToggled', data: { endpointId, enabled } }];
};

/** 403 for an endpoint that is not the user's. */
export const deleteEndpoint = (state: WebhookEndpointsState, endpointId: string, ifMatch: IfMatch): Decided => {
  checkIfMatch(ifMatch, endpointTag(requireEndpoint(state, endpointId)));
  return [{ type: 'EndpointDeleted', data: { endpointId } }];
};

/** What attempts say about an endpoint, for alerts. Times are ISO 8601. */
export interface HealthReport {
  readonly reason: string | null;
  readonly since: string;
  readonly lastSuccess: string | null;
  readonly failures: number;
}

/** By the platform. Nothing for an endpoint whose owner knows already, that is disabled, or that has moved from `url`. */
export const reportHealth = (
  state: WebhookEndpointsState,
  { endpointId, url, health, ...report }: HealthReport & { endpointId: string; url: string; health: 'failing' | 'healthy' },
): Decided => {
  const endpoint = findEndpoint(state, endpointId);
  const isNews = endpoint?.enabled === true && endpoint.url === url && endpoint.reportedFailing !== (health === 'failing');
  return isNews ? [{ type: 'EndpointHealthChanged', data: { endpointId, url, state: health, ...report } }] : [];
};

/** An endpoint that the platform disables. `url` and `failingSince` (ISO 8601) are absent if irrelevant. */
export type Disabling = { readonly endpointId: string; readonly reason: string } & (
  | { readonly dynamic: true }
  | { readonly dynamic: false; readonly url?: string; readonly failingSince?: string; readonly report: Omit<HealthReport, 'reason'> }
);

/**
 * By the platform. Nothing for an endpoint that is already disabled or deleted, that was enabled after `failingSince` (enabling forgets old failures), or
 * that has moved: an answer of its old `url` does not apply to the new one.
 */
export const disableEndpoint = (state: WebhookEndpointsState, disabling: Disabling): Decided => {
  const { endpointId, reason } = disabling;
  const disabled: WebhookEndpointsEvent = { type: 'EndpointDisabled', data: { endpointId, reason } };
  if (disabling.dynamic) return state.disabledDynamic.has(endpointId) ? [] : [disabled];
  const { url, failingSince, report } = disabling;
  const endpoint = findEndpoint(state, endpointId);
  if (!endpoint?.enabled || (failingSince !== undefined && endpoint.enabledTimestamp > failingSince)) return [];
  if (url !== undefined && url !== endpoint.url) return [];
  return [disabled, { type: 'EndpointHealthChanged', data: { endpointId, url: endpoint.url, state: 'disabled', reason, ...report } }];
};

/** 404 for an endpoint that is not the user's. */
export const rotateEndpointSecret = (state: WebhookEndpointsState, endpointId: string, previousValidUntil: string): Decided => {
  const { generation } = visibleEndpoint(state, endpointId).secret;
  return [{ type: 'EndpointSecretRotated', data: { endpointId, generation: generation + 1, previousValidUntil } }];
};

export const rotateAccountSecret = ({ accountSecret }: WebhookEndpointsState, previousValidUntil: string): Decided => [
  { type: 'AccountSecretRotated', data: { generation: accountSecret.generation + 1, previousValidUntil } },
];

/**
 * A request to the holder of the user's partition. 404 for an endpoint that is not the user's, 409 for the recovery of a disabled one, which
 * receives only manual deliveries.
 */
export const requestDelivery = (
  state: WebhookEndpointsState,
  request: Extract<WebhookEndpointsEvent, { type: 'RecoveryRequested' | 'ResendRequested' | 'PingRequested' | 'SendNowRequested' }>,
): Decided => {
  const { enabled } = visibleEndpoint(state, request.data.endpointId);
  if (request.type === 'RecoveryRequested' && !enabled)
    throw conflict('The endpoint is disabled. Enable it, then recover the events it has missed.');
  return [request];
};
