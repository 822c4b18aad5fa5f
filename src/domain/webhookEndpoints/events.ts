import type { JsonObject, Shape } from '../../json.ts';
import * as s from '../../schema.ts';
import { changedEvent, type EventOf, event, guardOf, personal, secret } from '../eventForms.ts';

/** `full`: bodies contain the stream or group. `slim`: only ids and links, a few hundred bytes for every event. */
export const WEBHOOK_PAYLOADS = ['full', 'slim'] as const;
export type WebhookPayload = (typeof WEBHOOK_PAYLOADS)[number];

const endpoint = s.object({
  endpointId: s.id,
  /** `URL.href`, accepted by the address guard. `null` once the user has been erased. */
  url: personal(s.text),
  /** As given: event types and wildcards, each once. */
  events: s.list(s.text),
  enabled: s.flag,
  description: personal(s.nullable(s.text)),
  payload: s.oneOf(...WEBHOOK_PAYLOADS),
  /** Sent with every attempt, by name. */
  headers: s.map(secret(s.text)),
  /** See `filter.ts`. `null`: every event of these types. */
  filter: personal(s.nullable(s.anyObject)),
  /** How long deliveries are retried, in seconds. `null`: as long as the server's setting says. */
  retryWindow: s.nullable(s.ordinal),
});
/** The owner's settings of an endpoint. */
export type EndpointSettings = Omit<Shape<typeof endpoint>, 'endpointId'>;

/** Version 2 has `payload`; version 3 has `headers`, `filter` and `retryWindow`. */
const UPCAST = {
  1: (data: JsonObject): JsonObject => ({ ...data, payload: 'full' }),
  2: (data: JsonObject): JsonObject => ({ ...data, headers: {}, filter: null, retryWindow: null }),
};

/**
 * The events of one user's webhook endpoints: the whole set, since the limit of 20 is its invariant. Event stream
 * `webhookEndpoints-<subject>`.
 */
export const WEBHOOK_ENDPOINTS_EVENTS = {
  EndpointCreated: changedEvent(3, endpoint, UPCAST),
  EndpointUpdated: changedEvent(3, endpoint, UPCAST),
  EndpointToggled: event(s.object({ endpointId: s.id, enabled: s.flag })),
  /** By the platform, with a reason for its owner. Also for a dynamic webhook, which is not part of the set and stays disabled. */
  EndpointDisabled: event(s.object({ endpointId: s.id, reason: s.text })),
  /** By the platform: deliveries have begun to fail, work again, or ended. Alerts report it. Not after every attempt, and not for dynamic webhooks. */
  EndpointHealthChanged: event(
    s.object({
      endpointId: s.id,
      url: personal(s.text),
      state: s.oneOf('failing', 'healthy', 'disabled'),
      reason: s.nullable(s.text),
      /** When the state began, ISO 8601. */
      since: s.text,
      lastSuccess: s.nullable(s.text),
      /** In a row. */
      failures: s.count,
    }),
  ),
  EndpointDeleted: event(s.object({ endpointId: s.id })),
  /** Secrets are derived from the master key, the endpoint's id and the generation (from 1). Both generations sign until `previousValidUntil`. */
  EndpointSecretRotated: event(s.object({ endpointId: s.id, generation: s.ordinal, previousValidUntil: s.text })),
  AccountSecretRotated: event(s.object({ generation: s.ordinal, previousValidUntil: s.text })),
  /** Appended by the node that received the call, answered by a fact in `delivery-<subject>`. Has either `since` or `after`. */
  RecoveryRequested: event(s.object({ endpointId: s.id, since: s.nullable(s.text), after: s.nullable(s.text) })),
  ResendRequested: event(s.object({ endpointId: s.id, deliveryId: s.id })),
  PingRequested: event(s.object({ endpointId: s.id, deliveryId: s.id })),
  SendNowRequested: event(s.object({ endpointId: s.id, deliveryId: s.id })),
};

export type WebhookEndpointsEvent = EventOf<typeof WEBHOOK_ENDPOINTS_EVENTS>;
export const WEBHOOK_ENDPOINTS_EVENT_TYPES: readonly string[] = Object.keys(WEBHOOK_ENDPOINTS_EVENTS);
export const isWebhookEndpointsEvent = guardOf(WEBHOOK_ENDPOINTS_EVENTS);

export const webhookEndpointsEventStream = (subject: string): string => `webhookEndpoints-${subject}`;
