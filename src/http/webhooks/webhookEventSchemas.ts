import { WEBHOOK_STREAM_MEMBERS } from '../../domain/stream/streamResource.ts';
import {
  type AUDIT_SEALED,
  FULL_ONLY_TYPES,
  type NAMED_TYPES,
  type WebhookEventType,
} from '../../domain/webhookEndpoints/webhookEventTypes.ts';
import type { JsonSchema } from '../../json.ts';
import * as s from '../../schema.ts';
import { STATES, STREAM_SCHEMA, WEBHOOK_ENDPOINT_SCHEMA } from '../streams/streamSchemas.ts';

/** Bodies of webhooks: one envelope for each kind of payload, and one for all slim bodies. */

const { streamState, groupState, gatewayState, processorState } = STATES;
const dynamicWebhookEndpoints = s.list(WEBHOOK_ENDPOINT_SCHEMA);
const subject = s.described(s.uuid, 'The owner.');

/** The stream in webhook bodies: `stream` itself, or a schema of its own once the API shows members that webhooks do not. */
export const webhookStreamSchema = (stream: JsonSchema): JsonSchema => {
  const members: readonly [string, JsonSchema][] = Object.entries(stream.properties ?? {});
  const shown = members.filter(([name]) => WEBHOOK_STREAM_MEMBERS.some((member) => member === name));
  return shown.length === members.length ? stream : s.named('WebhookStream', s.resource(Object.fromEntries(shown)));
};

const stream = webhookStreamSchema(STREAM_SCHEMA);

const PAYLOADS = {
  stream: s.named(
    'StreamStateEvent',
    s.resource({ streamId: s.uuid, groupId: s.uuid, state: streamState, subject, stream, dynamicWebhookEndpoints }),
  ),
  group: s.named('GroupStateChangedEvent', s.resource({ groupId: s.uuid, state: groupState, subject, dynamicWebhookEndpoints })),
  'group.stream-joined': s.named(
    'GroupStreamJoinedEvent',
    s.resource({
      groupId: s.uuid,
      streamId: s.uuid,
      subject: s.described(s.uuid, "The group's owner."),
      streamSubject: s.described(s.uuid, "The stream's owner."),
      dynamicWebhookEndpoints,
    }),
  ),
  gateway: s.named(
    'StreamGatewayStateEvent',
    s.resource({ streamId: s.uuid, state: gatewayState, gatewayHost: s.nullable(s.text), subject }),
  ),
  processor: s.named(
    'StreamProcessorStateEvent',
    s.resource({
      streamId: s.uuid,
      processorConfigurationId: s.described(s.text, "The processor's id in the chain."),
      state: processorState,
      details: s.described(s.nullable(s.text), 'Reason, or null.'),
      subject,
    }),
  ),
  transcript: s.named(
    'TranscriptEditedEvent',
    s.resource({
      streamId: s.uuid,
      groupId: s.uuid,
      attempt: s.described(s.ordinal, 'The attempt of the stream that made the transcription.'),
      revision: s.described(s.ordinal, 'The new revision.'),
      subject,
    }),
  ),
  seal: s.named(
    'LogSealedEvent',
    s.resource({
      revision: s.described(s.text, 'Revision of the seal in the event stream `seals`.'),
      hash: s.described(s.text, 'Hex SHA-256 of the seal.'),
      lastEventId: s.described(s.uuid, 'The last event that the seal covers.'),
      count: s.described({ type: 'integer' }, 'Events that the seal covers.'),
      line: s.described(s.text, 'The line of `tributary audit seals`. Keep it for `tributary audit verify --expect`.'),
    }),
  ),
  endpoint: s.named(
    'EndpointHealthEvent',
    s.resource({
      endpointId: s.described(s.uuid, 'The endpoint that the alert is about.'),
      url: s.text,
      state: s.oneOf('failing', 'healthy', 'disabled'),
      reason: s.described(s.nullable(s.text), 'Of the last failure, or why it is disabled. Null for `healthy`.'),
      since: s.described(s.time, 'When the state began; of `failing`, the first failure.'),
      lastSuccess: s.nullable(s.time),
      failures: s.described(s.count, 'Failed attempts in a row. 0 for `healthy`.'),
      subject,
    }),
  ),
  ping: s.named('PingEvent', { type: 'object', additionalProperties: false }),
  slim: s.named(
    'SlimEvent',
    s.resource({
      subject: s.described(s.nullable(s.uuid), 'The owner. Null for a seal.'),
      streamId: s.described(s.nullable(s.uuid), 'The stream of the event, or the one that joined the group.'),
      groupId: s.nullable(s.uuid),
      processorConfigurationId: s.described(s.nullable(s.text), "The processor's id in the chain, for `processor.*`."),
      links: s.named(
        'SlimEventLinks',
        s.resource({
          stream: s.described(s.nullable(s.text), 'Path of `findStream`.'),
          group: s.described(s.nullable(s.text), 'Path of `findGroup`.'),
          event: s.described(s.nullable(s.text), 'Path of the seal in the audit service.'),
        }),
      ),
    }),
  ),
};

type PayloadKind = keyof typeof PAYLOADS;
const PAYLOAD_KINDS = Object.keys(PAYLOADS) as PayloadKind[];

/** Every type that an endpoint may receive. */
export type SentType = WebhookEventType | (typeof NAMED_TYPES)[number] | typeof AUDIT_SEALED | 'ping';

/** The kind of the full payload of each. */
const KINDS: Readonly<Record<SentType, PayloadKind>> = {
  'stream.ready': 'stream',
  'stream.completed': 'stream',
  'stream.failed': 'stream',
  'stream.expired': 'stream',
  'group.created': 'group',
  'group.completed': 'group',
  'group.failed': 'group',
  'group.expired': 'group',
  'group.stream-joined': 'group.stream-joined',
  'gateway.connected': 'gateway',
  'gateway.disconnected': 'gateway',
  'gateway.closed': 'gateway',
  'gateway.error': 'gateway',
  'processor.running': 'processor',
  'processor.completed': 'processor',
  'processor.error': 'processor',
  'transcript.edited': 'transcript',
  'endpoint.failing': 'endpoint',
  'endpoint.recovered': 'endpoint',
  'endpoint.disabled': 'endpoint',
  'audit.sealed': 'seal',
  ping: 'ping',
};

const SENT = Object.entries(KINDS) as [SentType, PayloadKind][];

const payloadSchemaOf = (kind: PayloadKind): string => `tributary.events.v1.${s.nameOf(PAYLOADS[kind])}`;

const typesOf = (kind: PayloadKind): SentType[] =>
  SENT.filter(([type, of]) => (kind === 'slim' ? !FULL_ONLY_TYPES.has(type) : of === kind)).map(([type]) => type);

const envelope = (kind: PayloadKind): JsonSchema =>
  s.named(
    s.nameOf(PAYLOADS[kind]).replace(/Event$/, 'Webhook'),
    s.resource({
      id: s.described(s.uuid, 'Id of the event: the same on every attempt, and equal to the header `webhook-id`.'),
      type: s.oneOf(...typesOf(kind)),
      webhookEndpointId: s.uuid,
      timestamp: s.described({ type: 'integer', format: 'int64' }, 'Time of the event, in milliseconds since the epoch.'),
      payloadSchema: s.oneOf(payloadSchemaOf(kind)),
      payload: PAYLOADS[kind],
    }),
  );

const ENVELOPES = Object.fromEntries(PAYLOAD_KINDS.map((kind) => [kind, envelope(kind)])) as Record<PayloadKind, JsonSchema>;

/** Any body sent to an endpoint. */
export const WEBHOOK_EVENT_SCHEMA = s.named('WebhookEvent', {
  oneOf: Object.values(ENVELOPES),
  discriminator: {
    propertyName: 'payloadSchema',
    mapping: Object.fromEntries(PAYLOAD_KINDS.map((kind) => [payloadSchemaOf(kind), `#/components/schemas/${s.nameOf(ENVELOPES[kind])}`])),
  },
});

/** The event types with the envelopes of each: the full one, then the slim one. */
export const WEBHOOK_BODIES: readonly { readonly type: SentType; readonly schemas: readonly JsonSchema[] }[] = SENT.map(([type, kind]) => ({
  type,
  schemas: FULL_ONLY_TYPES.has(type) ? [ENVELOPES[kind]] : [ENVELOPES[kind], ENVELOPES.slim],
}));
