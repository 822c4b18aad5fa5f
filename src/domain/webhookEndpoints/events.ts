import type { JsonObject } from '../../json.ts';
import {
  changedEvent,
  type EventOf,
  erasable,
  event,
  flag,
  guardOf,
  id,
  list,
  nullable,
  object,
  oneOf,
  ordinal,
  text,
} from '../eventForms.ts';

/** `full`: bodies contain the stream or group. `slim`: only ids and links, a few hundred bytes for every event. */
export const WEBHOOK_PAYLOADS = ['full', 'slim'] as const;
export type WebhookPayload = (typeof WEBHOOK_PAYLOADS)[number];

/** The owner's settings of an endpoint. */
export interface EndpointSettings {
  /** `URL.href`, accepted by the address guard. `null` once the user has been erased. */
  url: string | null;
  /** As given: event types and wildcards, each once. */
  events: string[];
  enabled: boolean;
  description: string | null;
  payload: WebhookPayload;
}

const endpoint = object({
  endpointId: id,
  url: erasable(text),
  events: list(text),
  enabled: flag,
  description: erasable(nullable(text)),
  payload: oneOf(...WEBHOOK_PAYLOADS),
});

/** Version 2 has `payload`. */
const withPayload = (data: JsonObject): JsonObject => ({ ...data, payload: 'full' });

/**
 * The events of one user's webhook endpoints: the whole set, since the limit of 20 is its invariant. Event stream
 * `webhookEndpoints-<subject>`.
 */
export const WEBHOOK_ENDPOINTS_EVENTS = {
  EndpointCreated: changedEvent(2, endpoint, { 1: withPayload }),
  EndpointUpdated: changedEvent(2, endpoint, { 1: withPayload }),
  EndpointToggled: event(object({ endpointId: id, enabled: flag })),
  /** By the platform, with a reason for its owner. Also for a dynamic webhook, which is not part of the set and stays disabled. */
  EndpointDisabled: event(object({ endpointId: id, reason: text })),
  EndpointDeleted: event(object({ endpointId: id })),
  /** Secrets are derived from the master key, the endpoint's id and the generation (from 1). Both generations sign until `previousValidUntil`. */
  EndpointSecretRotated: event(object({ endpointId: id, generation: ordinal, previousValidUntil: text })),
  AccountSecretRotated: event(object({ generation: ordinal, previousValidUntil: text })),
  /** Appended by the node that received the call, answered by a fact in `delivery-<subject>`. Has either `since` or `after`. */
  RecoveryRequested: event(object({ endpointId: id, since: nullable(text), after: nullable(text) })),
  ResendRequested: event(object({ endpointId: id, deliveryId: id })),
  PingRequested: event(object({ endpointId: id, deliveryId: id })),
};

export type WebhookEndpointsEvent = EventOf<typeof WEBHOOK_ENDPOINTS_EVENTS>;
export const WEBHOOK_ENDPOINTS_EVENT_TYPES: readonly string[] = Object.keys(WEBHOOK_ENDPOINTS_EVENTS);
export const isWebhookEndpointsEvent = guardOf(WEBHOOK_ENDPOINTS_EVENTS);

export const webhookEndpointsEventStream = (subject: string): string => `webhookEndpoints-${subject}`;
