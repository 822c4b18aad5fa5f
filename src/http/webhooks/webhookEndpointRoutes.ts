import type { CommandDeps } from '../../commands/handle.ts';
import {
  deleteWebhookEndpoint,
  loadWebhookEndpoints,
  saveWebhookEndpoint,
  toggleWebhookEndpoint,
} from '../../commands/webhookEndpoints.ts';
import { type Caller, hasRole } from '../../domain/credentials/caller.ts';
import { parseIfMatch } from '../../domain/ifMatch.ts';
import { Problem } from '../../domain/problem.ts';
import { type EndpointDraft, endpointTag, visibleEndpoint } from '../../domain/webhookEndpoints/decisions.ts';
import { hiddenHeaders } from '../../domain/webhookEndpoints/headers.ts';
import type { Endpoint, WebhookEndpointsState } from '../../domain/webhookEndpoints/state.ts';
import { AUDIT_SEALED, isWebhookFilter, NAMED_TYPES, WEBHOOK_EVENT_TYPES } from '../../domain/webhookEndpoints/webhookEventTypes.ts';
import { type EndpointDocument, endpointsProjection } from '../../projections/endpoints.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import * as s from '../../schema.ts';
import { loaded } from '../answers/readPage.ts';
import { invalid } from '../input/schemas.ts';
import { idOf as idAsKnown, UUID_PATTERN } from '../input/uuid.ts';
import { type ApiResponse, defineRoute, type QueryParameters, type Route } from '../route/route.ts';
import { HEALTH_STATE_SCHEMA, HEALTH_STATES, WEBHOOK_ENDPOINT_SCHEMA } from '../streams/streamSchemas.ts';
import { conditionsOf, documentsOf, type EndpointHealth, type HealthDeps, type HealthState, healthOfAll } from './shownHealth.ts';
import { onWebhookEndpoints, SUBJECT, webhookContext, webhookOwner } from './webhookOwner.ts';
import { DOCUMENTED_ENDPOINT_SCHEMA, ENDPOINT_EXAMPLES, SAVED_ENDPOINT_SCHEMA, type SavedEndpoint } from './webhookSchemas.ts';

export interface WebhookEndpointRouteDeps extends CommandDeps, HealthDeps {
  readonly readModels: Pick<ReadModels, 'find' | 'getMany' | 'findIds'>;
  /** The URL's `href`; `null` if the address guard refuses it. */
  readonly judgeWebhook: (url: string) => Promise<string | null>;
  /** How long deliveries are retried if their endpoint does not say, in seconds. */
  readonly retryWindow: number;
}

const MAX_URL = 2_048;
const WEBHOOK_EVENT_TYPE = s.named('WebhookEventType', s.oneOf(...WEBHOOK_EVENT_TYPES, ...NAMED_TYPES, AUDIT_SEALED));
const ENDPOINT = {
  description: 'The endpoint, with an ETag of its settings. `health` changes without it.',
  schema: WEBHOOK_ENDPOINT_SCHEMA,
  headers: ['ETag'],
} as const;
const CONFLICT = { description: 'The endpoint has changed since the state in If-Match.' };

/** Registers webhook endpoints (`docs/webhooks.md`). */
export const webhookEndpointRoutes = (deps: WebhookEndpointRouteDeps): Route[] => [
  supportedEvents(),
  findAll(deps),
  save(deps),
  findById(deps),
  toggle(deps),
  remove(deps),
];

const supportedEvents = (): Route =>
  defineRoute({
    ...onWebhookEndpoints('/supported-events'),
    operationId: 'getSupportedEvents',
    method: 'GET',
    access: 'open',
    query: {
      all: {
        schema: s.flag,
        description: 'Also lists the types that no wildcard includes: corrections of transcripts, and alerts about endpoints.',
      },
    },
    summary: 'Lists the event types that an endpoint can receive.',
    description:
      'Needs no credential. With the credential of an administrator or auditor the list also has `audit.sealed`. A wrong credential is ignored.',
    identifies: true,
    responses: { 200: { description: 'Event types.', schema: s.list(WEBHOOK_EVENT_TYPE) } },
    handle: async ({ maybeCaller, query }) => ({
      status: 200,
      body: [...WEBHOOK_EVENT_TYPES, ...(query.all ? NAMED_TYPES : []), ...(maybeCaller && readsSeals(maybeCaller) ? [AUDIT_SEALED] : [])],
    }),
  });

/** Whether a caller may subscribe to `audit.sealed`. */
const readsSeals = (caller: Caller): boolean => hasRole(caller, 'admin', 'auditor');

type ShownDeps = HealthDeps & Pick<WebhookEndpointRouteDeps, 'retryWindow'>;

/** Means every owner. */
const EVERYBODY = '*';
const LISTED = {
  subject: {
    ...SUBJECT,
    schema: { type: 'string', pattern: `${UUID_PATTERN}|^\\*$` },
    description: 'Owner of the endpoints; `*`: all owners. Default: the caller. Only admins may name another.',
  },
  health: { schema: HEALTH_STATE_SCHEMA, list: 'comma', description: 'Only endpoints in these states, such as `failing,held`.' },
} as const satisfies QueryParameters;

const findAll = (deps: WebhookEndpointRouteDeps): Route =>
  defineRoute({
    ...onWebhookEndpoints(''),
    operationId: 'findAllWebhookEndpoints',
    method: 'GET',
    summary: "The user's webhook endpoints, oldest first.",
    description: 'At most 20 of one user. With `subject=*`, at most 1,000 of all users.',
    query: LISTED,
    responses: { 200: { description: 'All of it.', schema: s.list(WEBHOOK_ENDPOINT_SCHEMA) } },
    handle: async (request) => {
      const { health } = request.query;
      const owner = webhookOwner(request);
      if (owner === EVERYBODY) return { status: 200, body: await listOfAllUsers(deps, health ?? HEALTH_STATES) };
      const { endpoints } = await loadWebhookEndpoints(deps.log, owner);
      return { status: 200, body: health ? await withHealth(deps, owner, endpoints, health) : await shownAll(deps, owner, endpoints) };
    },
  });

const MOST_LISTED = 1_000;
const LOADED_TOGETHER = 100;

const listOfAllUsers = async (deps: WebhookEndpointRouteDeps, wanted: readonly HealthState[]): Promise<object[]> => {
  const where = { condition: [...new Set(wanted.flatMap(conditionsOf))] };
  const orderBy = [{ member: 'createdTimestamp', direction: 'asc' }] as const;
  const ids = await deps.readModels.findIds(endpointsProjection, { where, orderBy, limit: Number.MAX_SAFE_INTEGER });
  const load = async (some: readonly string[]) => {
    const documents = await deps.readModels.getMany(endpointsProjection, some);
    const ofOwners = await documentsOf(
      deps,
      documents.map(({ subject }) => subject),
    );
    return shownWith(deps, documents, ofOwners, wanted);
  };
  const found: object[] = [];
  for await (const endpoint of loaded(ids, load, LOADED_TOGETHER)) if (found.push(endpoint) === MOST_LISTED) break;
  return found;
};

/** The endpoints in these states. Rejects while the read model cannot be read: an empty list would look like good health. */
const withHealth = async (
  deps: ShownDeps,
  owner: string,
  endpoints: readonly Endpoint[],
  wanted: readonly HealthState[],
): Promise<object[]> => shownWith(deps, endpoints, await documentsOf(deps, [owner]), wanted);

/** Endpoints in any state, which is `unknown` while the read model cannot be read. */
const shownAll = async (deps: ShownDeps, owner: string, endpoints: readonly Endpoint[]): Promise<object[]> =>
  shownWith(deps, endpoints, await documentsOf(deps, [owner]).catch(() => []), HEALTH_STATES);

const shownWith = async (
  deps: ShownDeps,
  endpoints: readonly (Endpoint | EndpointDocument)[],
  documents: readonly EndpointDocument[],
  wanted: readonly HealthState[],
): Promise<object[]> => {
  const health = await healthOfAll(deps, endpoints, documents);
  return endpoints.flatMap((endpoint) => {
    const own = health.get(endpoint.endpointId);
    return own && wanted.includes(own.state) ? [webhookEndpointResource(endpoint, own, deps.retryWindow)] : [];
  });
};

const save = (deps: WebhookEndpointRouteDeps): Route =>
  defineRoute({
    ...onWebhookEndpoints(''),
    operationId: 'saveWebhookEndpoint',
    method: 'PUT',
    summary: 'Creates an endpoint, or replaces the one with the id in the body.',
    description:
      "Without an `id` a new one; with one, the whole endpoint is replaced: an absent `enabled` is true; absent `payload`, `headers`, `filter` and `retryWindow` keep the present ones. An `id` that is not the caller's is 403, whether it exists or not. A URL, header, filter or `retryWindow` that is not acceptable and an unknown event type are WEBHOOK_CONFIGURATION_ERROR, and so is `audit.sealed` unless the caller is an administrator or auditor.",
    body: {
      kind: 'json',
      schema: SAVED_ENDPOINT_SCHEMA,
      documented: DOCUMENTED_ENDPOINT_SCHEMA,
      limitBytes: 65_536,
      examples: ENDPOINT_EXAMPLES,
    },
    headers: ['If-Match'],
    responses: { 200: { ...ENDPOINT, headers: ['ETag', 'Location'] }, 409: CONFLICT },
    handle: async (request) => {
      const { body } = request;
      const settings = await settingsOf(body, request.caller, deps);
      const wanted = { endpointId: body.id ? idAsKnown(body.id) : null, settings, ifMatch: parseIfMatch(request.header('If-Match')) };
      const { state, endpointId } = await saveWebhookEndpoint(deps, wanted, webhookContext(request));
      const location = `${onWebhookEndpoints('').path}/${endpointId}`;
      return shown(deps, request, state, endpointId, wanted.endpointId === null ? { Location: location } : {});
    },
  });

const findById = (deps: WebhookEndpointRouteDeps): Route =>
  defineRoute({
    ...onWebhookEndpoints('/{id}'),
    operationId: 'findWebhookEndpointById',
    method: 'GET',
    summary: 'Returns a webhook endpoint.',
    description: 'Use the ETag of the answer for If-Match.',
    responses: { 200: ENDPOINT },
    handle: async (request) => shown(deps, request, await loadWebhookEndpoints(deps.log, webhookOwner(request)), request.params.id),
  });

const toggle = (deps: WebhookEndpointRouteDeps): Route =>
  defineRoute({
    ...onWebhookEndpoints('/{id}/enabled/{enabled}'),
    operationId: 'toggleWebhookEndpoint',
    method: 'PATCH',
    summary: 'Enables or disables an endpoint. A disabled endpoint receives nothing, and its pending deliveries stop.',
    description: 'Enabling does not resume deliveries that were pending; `recoverWebhookDeliveries` does. An unknown endpoint is 403.',
    headers: ['If-Match'],
    responses: { 200: ENDPOINT, 409: CONFLICT },
    handle: async (request) => {
      const { id: endpointId, enabled } = request.params;
      if (enabled !== 'true' && enabled !== 'false') throw invalid('enabled', 'must be true or false', 'path');
      const wanted = { endpointId, enabled: enabled === 'true', ifMatch: parseIfMatch(request.header('If-Match')) };
      const { state } = await toggleWebhookEndpoint(deps, wanted, webhookContext(request));
      return shown(deps, request, state, endpointId);
    },
  });

const remove = (deps: WebhookEndpointRouteDeps): Route =>
  defineRoute({
    ...onWebhookEndpoints('/{id}'),
    operationId: 'deleteWebhookEndpoint',
    method: 'DELETE',
    summary: 'Deletes an endpoint. Its pending deliveries stop.',
    description: 'An unknown endpoint is 403.',
    headers: ['If-Match'],
    responses: { 204: { description: 'Deleted.' }, 409: CONFLICT },
    handle: async (request) => {
      const wanted = { endpointId: request.params.id, ifMatch: parseIfMatch(request.header('If-Match')) };
      await deleteWebhookEndpoint(deps, wanted, webhookContext(request));
      return { status: 204 };
    },
  });

/** Only a list of all users names the owner. */
const webhookEndpointResource = (endpoint: Endpoint | EndpointDocument, health: EndpointHealth, serverWindow: number): object => {
  const { endpointId: id, url, events, enabled, description, payload, filter, disabledReason, disabledTimestamp } = endpoint;
  const settings = { headers: hiddenHeaders(endpoint.headers), filter, retryWindow: endpoint.retryWindow ?? serverWindow };
  const owner = 'subject' in endpoint && { subject: endpoint.subject };
  return { id, url, events, enabled, description, payload, ...settings, disabledReason, disabledTimestamp, health, ...owner };
};

/** Throws 404 for an endpoint that is not the user's. */
const shown = async (
  deps: ShownDeps,
  request: Parameters<typeof webhookOwner>[0],
  state: WebhookEndpointsState,
  endpointId: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<ApiResponse> => {
  const endpoint = visibleEndpoint(state, endpointId);
  const [body] = await shownAll(deps, webhookOwner(request), [endpoint]);
  return { status: 200, body, headers: { ETag: `"${endpointTag(endpoint)}"`, ...headers } };
};

/** Throws WEBHOOK_CONFIGURATION_ERROR for an event type that is unknown or not allowed for this caller, and for a forbidden URL. */
const settingsOf = async (
  { url, events, enabled, description, payload, headers, filter, retryWindow }: SavedEndpoint,
  caller: Caller,
  deps: Pick<WebhookEndpointRouteDeps, 'judgeWebhook' | 'retryWindow'>,
): Promise<EndpointDraft> => {
  if (events.includes(AUDIT_SEALED) && !readsSeals(caller))
    throw new Problem('WEBHOOK_CONFIGURATION_ERROR', `Only administrators and auditors can subscribe to ${AUDIT_SEALED}.`);
  const unknown = events.find((event) => event !== AUDIT_SEALED && !isWebhookFilter(event));
  if (unknown !== undefined)
    throw new Problem(
      'WEBHOOK_CONFIGURATION_ERROR',
      `Unknown event type ${JSON.stringify(unknown.slice(0, 100))}. GET supported-events?all=true lists the types; the wildcards are *, stream.*, group.*, gateway.* and processor.*.`,
    );
  const href = await deps.judgeWebhook(url);
  if (href === null || href.length > MAX_URL)
    throw new Problem('WEBHOOK_CONFIGURATION_ERROR', 'A webhook URL must use http or https and must not point to a local address.');
  return {
    ...{ url: href, events: [...new Set(events)], enabled: enabled ?? true, description: description ?? null, payload: payload ?? null },
    ...{ headers, filter },
    // Answers show that of the server: put back, it is no setting of the endpoint.
    retryWindow: retryWindow === deps.retryWindow ? null : retryWindow,
  };
};
