import { isDeepStrictEqual } from 'node:util';
import { checkIfMatch, type IfMatch } from '../ifMatch.ts';
import { conflict, notFound, Problem } from '../problem.ts';
import type { EndpointSettings, WebhookEndpointsEvent, WebhookPayload } from './events.ts';
import { type Endpoint, findEndpoint, type WebhookEndpointsState } from './state.ts';

/** Decisions about one user's set of endpoints. Each returns the events to append (an empty list if nothing changes) or throws a `Problem`. */
type Decided = readonly WebhookEndpointsEvent[];

/** Settings as a caller sends them. Without `payload`, a new endpoint gets `full` and an existing one keeps its own: older clients do not know it. */
export type EndpointDraft = Omit<EndpointSettings, 'payload'> & { payload: WebhookPayload | null };

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
  return [{ type: 'EndpointCreated', data: { endpointId, ...draft, payload: draft.payload ?? 'full' } }];
};

const isAsWanted = ({ url, events, enabled, description, payload }: Endpoint, settings: EndpointSettings): boolean =>
  isDeepStrictEqual({ url, events, enabled, description, payload }, settings);

/** Replaces all settings of the owner. 403 for an endpoint that is not the user's. */
export const updateEndpoint = (state: WebhookEndpointsState, endpointId: string, draft: EndpointDraft, ifMatch: IfMatch): Decided => {
  const endpoint = requireEndpoint(state, endpointId);
  checkIfMatch(ifMatch, endpointTag(endpoint));
  const settings = { ...draft, payload: draft.payload ?? endpoint.payload };
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

/**
 * By the platform. Nothing for an endpoint that is already disabled or deleted, that was enabled after `failingSince` (ISO 8601; absent if
 * irrelevant: enabling forgets old failures), or that has moved: an answer of its old `url` does not apply to the new one.
 */
export const disableEndpoint = (
  state: WebhookEndpointsState,
  {
    endpointId,
    reason,
    dynamic,
    url,
    failingSince,
  }: { endpointId: string; reason: string; dynamic: boolean; url?: string; failingSince?: string },
): Decided => {
  const disabled: WebhookEndpointsEvent = { type: 'EndpointDisabled', data: { endpointId, reason } };
  if (dynamic) return state.disabledDynamic.has(endpointId) ? [] : [disabled];
  const endpoint = findEndpoint(state, endpointId);
  if (!endpoint?.enabled || (failingSince !== undefined && endpoint.enabledTimestamp > failingSince)) return [];
  return url === undefined || url === endpoint.url ? [disabled] : [];
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
