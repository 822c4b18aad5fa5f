import type { EndpointSettings, WebhookEndpointsEvent } from './events.ts';
import type { Headers } from './headers.ts';

/** The secrets that sign: the newest generation (from 1), and older ones until they expire. */
export interface SecretGenerations {
  generation: number;
  /** Newest first. `validUntil` is ISO 8601. */
  previous: { generation: number; validUntil: string }[];
}

export interface Endpoint extends Omit<EndpointSettings, 'headers'> {
  endpointId: string;
  url: string;
  headers: Headers;
  /** Both `null` while enabled. */
  disabledReason: string | null;
  disabledTimestamp: string | null;
  /** Since when it has been enabled without a break; for a disabled one, since when it last was. Earlier failures do not count. */
  enabledTimestamp: string;
  /** Its owner has been told that deliveries fail (`EndpointHealthChanged`), and not yet that they work again. */
  reportedFailing: boolean;
  /** Counts visible changes, from 1. */
  version: number;
  secret: SecretGenerations;
}

/** All endpoints of one user, in the order of their creation. */
export interface WebhookEndpointsState {
  endpoints: Endpoint[];
  /** Signs dynamic webhooks. */
  accountSecret: SecretGenerations;
  disabledDynamic: ReadonlyMap<string, { readonly reason: string; readonly timestamp: string }>;
}

export const DISABLED_BY_OWNER = 'Disabled by its owner';
/** Most old secrets that sign beside the newest one. */
const MAX_PREVIOUS_SECRETS = 4;

const FIRST_SECRET: SecretGenerations = { generation: 1, previous: [] };

export const findEndpoint = ({ endpoints }: WebhookEndpointsState, endpointId: string): Endpoint | undefined =>
  endpoints.find((endpoint) => endpoint.endpointId === endpointId);

const changeEndpoint = (
  state: WebhookEndpointsState,
  endpointId: string,
  change: (endpoint: Endpoint) => Endpoint,
): WebhookEndpointsState => ({
  ...state,
  endpoints: state.endpoints.map((endpoint) => (endpoint.endpointId === endpointId ? change(endpoint) : endpoint)),
});

const without = (state: WebhookEndpointsState, endpointId: string): WebhookEndpointsState => ({
  ...state,
  endpoints: state.endpoints.filter((endpoint) => endpoint.endpointId !== endpointId),
});

const switchEndpoint = (endpoint: Endpoint, enabled: boolean, reason: string, time: string): Endpoint => {
  if (endpoint.enabled === enabled) return endpoint;
  return enabled
    ? { ...endpoint, enabled, disabledReason: null, disabledTimestamp: null, enabledTimestamp: time, reportedFailing: false }
    : { ...endpoint, enabled, reportedFailing: false, disabledReason: reason, disabledTimestamp: time };
};

/** The next version of an endpoint. `reason`: why it is disabled, if it is. */
const switched = (
  state: WebhookEndpointsState,
  { endpointId, enabled }: { endpointId: string; enabled: boolean },
  reason: string,
  time: string,
  settings: Partial<Endpoint> = {},
): WebhookEndpointsState =>
  changeEndpoint(state, endpointId, (endpoint) => ({
    ...switchEndpoint(endpoint, enabled, reason, time),
    ...settings,
    version: endpoint.version + 1,
  }));

/** `most`: of the old secrets that sign beside the newest one. */
export const rotateSecret = (
  { generation: replaced, previous }: SecretGenerations,
  { generation, previousValidUntil }: { generation: number; previousValidUntil: string },
  time: string,
  most = MAX_PREVIOUS_SECRETS,
): SecretGenerations => ({
  generation,
  previous: [{ generation: replaced, validUntil: previousValidUntil }, ...previous.filter(({ validUntil }) => validUntil > time)].slice(
    0,
    most,
  ),
});

const NEWEST_DISABLED = 1_000;

const dynamicDisabled = (state: WebhookEndpointsState, endpointId: string, reason: string, timestamp: string): WebhookEndpointsState =>
  state.disabledDynamic.has(endpointId)
    ? state
    : {
        ...state,
        disabledDynamic: new Map([...[...state.disabledDynamic].slice(1 - NEWEST_DISABLED), [endpointId, { reason, timestamp }]]),
      };

/** Values of an erased owner are `null`. */
const readableHeaders = (headers: Readonly<Record<string, string | null>>): Headers =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [[name, value]])));

const initialState = (): WebhookEndpointsState => ({
  endpoints: [],
  accountSecret: FIRST_SECRET,
  disabledDynamic: new Map(),
});

/** Folds an event onto a user's endpoints. `time` is that of the event, ISO 8601. Pure. */
const evolveWebhookEndpoints = (state: WebhookEndpointsState, event: WebhookEndpointsEvent, time: string): WebhookEndpointsState => {
  switch (event.type) {
    case 'EndpointCreated': {
      const { url, enabled, headers: given, ...data } = event.data;
      // Its owner has been erased, so there is no URL.
      if (url === null) return state;
      const fresh = {
        ...{ disabledReason: null, disabledTimestamp: null, enabledTimestamp: time },
        ...{ reportedFailing: false, version: 1, secret: FIRST_SECRET },
      };
      const headers = readableHeaders(given);
      const endpoint = switchEndpoint({ ...data, url, headers, enabled: true, ...fresh }, enabled, DISABLED_BY_OWNER, time);
      return { ...state, endpoints: [...state.endpoints, endpoint] };
    }
    case 'EndpointUpdated': {
      const { endpointId, enabled, url, headers, ...settings } = event.data;
      if (url === null) return without(state, endpointId);
      const changed = { ...settings, url, headers: readableHeaders(headers) };
      return switched(state, { endpointId, enabled }, DISABLED_BY_OWNER, time, changed);
    }
    case 'EndpointToggled':
      return switched(state, event.data, DISABLED_BY_OWNER, time);
    case 'EndpointDisabled': {
      const { endpointId, reason } = event.data;
      if (!findEndpoint(state, endpointId)) return dynamicDisabled(state, endpointId, reason, time);
      return switched(state, { endpointId, enabled: false }, reason, time);
    }
    case 'EndpointHealthChanged': {
      const reportedFailing = event.data.state === 'failing';
      return changeEndpoint(state, event.data.endpointId, (endpoint) => ({ ...endpoint, reportedFailing }));
    }
    case 'EndpointDeleted':
      return without(state, event.data.endpointId);
    case 'EndpointSecretRotated':
      return changeEndpoint(state, event.data.endpointId, (endpoint) => ({
        ...endpoint,
        secret: rotateSecret(endpoint.secret, event.data, time),
      }));
    case 'AccountSecretRotated':
      return { ...state, accountSecret: rotateSecret(state.accountSecret, event.data, time) };
    case 'RecoveryRequested':
    case 'ResendRequested':
    case 'PingRequested':
    case 'SendNowRequested':
      return state;
    default:
      return event satisfies never;
  }
};

export const webhookEndpointsDecider = { initialState, evolve: evolveWebhookEndpoints };
