import { AUDIT_SEALED, WEBHOOK_EVENT_TYPES } from '../../domain/webhookEndpoints/webhookEventTypes.ts';
import type { JsonSchema } from '../../json.ts';
import { described, listOf, named, nameOf, oneOf, resource, text, textOrNull, uuid, uuidOrNull } from '../input/jsonSchemas.ts';
import { STATES, STREAM_SCHEMA, WEBHOOK_ENDPOINT_SCHEMA } from '../streams/streamSchemas.ts';

/** Bodies of webhooks: one envelope for each kind of payload, and one for all slim bodies. */

const { streamState, groupState, gatewayState, processorState } = STATES;
const dynamicWebhookEndpoints = listOf(WEBHOOK_ENDPOINT_SCHEMA);
const subject = described(uuid, 'The owner.');

const PAYLOADS = {
  stream: named(
    'StreamStateEvent',
    resource({ streamId: uuid, groupId: uuid, state: streamState, subject, stream: STREAM_SCHEMA, dynamicWebhookEndpoints }),
  ),
  group: named('GroupStateChangedEvent', resource({ groupId: uuid, state: groupState, subject, dynamicWebhookEndpoints })),
  'group.stream-joined': named(
    'GroupStreamJoinedEvent',
    resource({
      groupId: uuid,
      streamId: uuid,
      subject: described(uuid, "The group's owner."),
      streamSubject: described(uuid, "The stream's owner."),
      dynamicWebhookEndpoints,
    }),
  ),
  gateway: named('StreamGatewayStateEvent', resource({ streamId: uuid, state: gatewayState, gatewayHost: textOrNull, subject })),
  processor: named(
    'StreamProcessorStateEvent',
    resource({
      streamId: uuid,
      processorConfigurationId: described(text, "The processor's id in the chain."),
      state: processorState,
      details: described(textOrNull, 'Reason, or null.'),
      subject,
    }),
  ),
  seal: named(
    'LogSealedEvent',
    resource({
      revision: described(text, 'Revision of the seal in the event stream `seals`.'),
      hash: described(text, 'Hex SHA-256 of the seal.'),
      lastEventId: described(uuid, 'The last event that the seal covers.'),
      count: described({ type: 'integer' }, 'Events that the seal covers.'),
      line: described(text, 'The line of `tributary audit seals`. Keep it for `tributary audit verify --expect`.'),
    }),
  ),
  ping: named('PingEvent', { type: 'object', additionalProperties: false }),
  slim: named(
    'SlimEvent',
    resource({
      subject: described(uuidOrNull, 'The owner. Null for a seal.'),
      streamId: described(uuidOrNull, 'The stream of the event, or the one that joined the group.'),
      groupId: uuidOrNull,
      processorConfigurationId: described(textOrNull, "The processor's id in the chain, for `processor.*`."),
      links: named(
        'SlimEventLinks',
        resource({
          stream: described(textOrNull, 'Path of `findStream`.'),
          group: described(textOrNull, 'Path of `findGroup`.'),
          event: described(textOrNull, 'Path of the seal in the audit service.'),
        }),
      ),
    }),
  ),
} as const satisfies Record<string, JsonSchema>;

const SLIM = 'slim';
type PayloadKind = keyof typeof PAYLOADS;
const PAYLOAD_KINDS = [
  'stream',
  'group',
  'group.stream-joined',
  'gateway',
  'processor',
  'seal',
  'ping',
  SLIM,
] as const satisfies readonly PayloadKind[];

/** Every type that an endpoint may receive, and the kind of its full payload. */
const KINDS: ReadonlyMap<string, PayloadKind> = new Map([
  ...WEBHOOK_EVENT_TYPES.map((type) => [type, kindOf(type)] as const),
  [AUDIT_SEALED, 'seal'] as const,
  ['ping', 'ping'] as const,
]);

function kindOf(type: (typeof WEBHOOK_EVENT_TYPES)[number]): PayloadKind {
  if (type === 'group.stream-joined') return type;
  if (type.startsWith('stream.')) return 'stream';
  if (type.startsWith('group.')) return 'group';
  return type.startsWith('gateway.') ? 'gateway' : 'processor';
}

const payloadSchemaOf = (kind: PayloadKind): string => `tributary.events.v1.${nameOf(PAYLOADS[kind])}`;

/** Every event but a ping has a slim body too. */
const typesOf = (kind: PayloadKind): string[] =>
  [...KINDS].filter(([, of]) => (kind === SLIM ? of !== 'ping' : of === kind)).map(([type]) => type);

const envelope = (kind: PayloadKind): JsonSchema =>
  named(
    nameOf(PAYLOADS[kind]).replace(/Event$/, 'Webhook'),
    resource({
      id: described(uuid, 'Id of the event: the same on every attempt, and equal to the header `webhook-id`.'),
      type: oneOf(...typesOf(kind)),
      webhookEndpointId: uuid,
      timestamp: described({ type: 'integer', format: 'int64' }, 'Time of the event, in milliseconds since the epoch.'),
      payloadSchema: oneOf(payloadSchemaOf(kind)),
      payload: PAYLOADS[kind],
    }),
  );

const ENVELOPES = {
  stream: envelope('stream'),
  group: envelope('group'),
  'group.stream-joined': envelope('group.stream-joined'),
  gateway: envelope('gateway'),
  processor: envelope('processor'),
  seal: envelope('seal'),
  ping: envelope('ping'),
  slim: envelope(SLIM),
} as const satisfies Record<PayloadKind, JsonSchema>;

/** Any body sent to an endpoint. */
export const WEBHOOK_EVENT_SCHEMA = named('WebhookEvent', {
  oneOf: Object.values(ENVELOPES),
  discriminator: {
    propertyName: 'payloadSchema',
    mapping: Object.fromEntries(PAYLOAD_KINDS.map((kind) => [payloadSchemaOf(kind), `#/components/schemas/${nameOf(ENVELOPES[kind])}`])),
  },
});

/** The event types with the envelopes of each: the full one, then the slim one. */
export const WEBHOOK_BODIES: readonly { readonly type: string; readonly schemas: readonly JsonSchema[] }[] = [...KINDS].map(
  ([type, kind]) => ({ type, schemas: kind === 'ping' ? [ENVELOPES.ping] : [ENVELOPES[kind], ENVELOPES.slim] }),
);
