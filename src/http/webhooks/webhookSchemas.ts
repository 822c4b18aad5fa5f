import { RETRY_WINDOW } from '../../domain/webhookEndpoints/decisions.ts';
import { WEBHOOK_PAYLOADS } from '../../domain/webhookEndpoints/events.ts';
import { MAX_PATHS } from '../../domain/webhookEndpoints/filter.ts';
import { MAX_HEADER_VALUE, MAX_HEADERS } from '../../domain/webhookEndpoints/headers.ts';
import type { JsonSchema, Shape } from '../../json.ts';
import * as s from '../../schema.ts';
import { FIRST_POSITION, POSITION_PATTERN } from '../route/headers.ts';
import type { BodyExamples } from '../route/route.ts';
import { WEBHOOK_EVENT_FILTER, WEBHOOK_URL } from '../streams/streamSchemas.ts';

/** Bodies and answers of the notification service. */

const SAVED_ENDPOINT_PROPERTIES = {
  id: { ...s.nullable(s.text), description: 'Id of the endpoint to replace. Absent, null or empty creates one.' },
  url: {
    type: 'string',
    maxLength: 2_048,
    description: 'An http or https URL. An address in a private network needs the setting WEBHOOK_ALLOW_CIDRS of the server.',
  },
  events: { type: 'array', minItems: 1, items: s.text, description: 'Event types, or the wildcards * and <resource>.*' },
  enabled: { type: ['boolean', 'null'], description: 'Default: true.' },
  description: { ...s.nullable(s.text), maxLength: 1_024 },
  payload: {
    type: ['string', 'null'],
    enum: [...WEBHOOK_PAYLOADS, null],
    description: '`slim` sends ids and links instead of the stream or group. Default: that of the replaced endpoint, else `full`.',
  },
  headers: {
    type: ['object', 'null'],
    maxProperties: MAX_HEADERS,
    additionalProperties: { type: 'string', maxLength: MAX_HEADER_VALUE },
    description:
      'Headers of your own, sent with every attempt. `***` keeps the value that is there. Absent: the present ones stay. Null: none.',
  },
  filter: {
    type: ['object', 'null'],
    maxProperties: MAX_PATHS,
    additionalProperties: true,
    description:
      'Only events in which every path (`payload.stream.name`) has this value, one of a list of values, or text with this `{"prefix": ""}`. Null also fits an absent member. Absent: the present filter stays. Null: none.',
  },
  retryWindow: {
    type: ['integer', 'null'],
    format: 'int32',
    description: `How long deliveries are retried, in seconds: ${RETRY_WINDOW.least} to ${RETRY_WINDOW.most}. Absent: the present value stays. Null: the setting of the server, which is shown.`,
  },
} as const;

/** GET's answer can be PUT back: members that only the platform sets are ignored. */
export const SAVED_ENDPOINT_SCHEMA = {
  title: 'WebhookEndpointDraft',
  type: 'object',
  required: ['url', 'events'],
  properties: SAVED_ENDPOINT_PROPERTIES,
} as const;

/** The schema in the document: the handler checks event types, with its own error. */
export const DOCUMENTED_ENDPOINT_SCHEMA: JsonSchema = {
  ...SAVED_ENDPOINT_SCHEMA,
  properties: {
    ...SAVED_ENDPOINT_PROPERTIES,
    id: { type: ['string', 'null'], format: 'uuid', description: 'Id of the endpoint to replace. Absent or null creates one.' },
    url: { ...SAVED_ENDPOINT_PROPERTIES.url, ...WEBHOOK_URL },
    events: { ...SAVED_ENDPOINT_PROPERTIES.events, items: WEBHOOK_EVENT_FILTER },
  },
};

export const ENDPOINT_EXAMPLES: BodyExamples = {
  created: {
    summary: 'A new endpoint, for the ends of streams',
    value: { url: 'https://receiver.example.com/tributary', events: ['stream.completed', 'stream.failed'], description: 'Ends' },
  },
  slim: {
    summary: 'A new endpoint that gets ids and links only',
    value: { url: 'https://receiver.example.com/tributary', events: ['group.completed'], payload: 'slim' },
  },
  filtered: {
    summary: 'A new endpoint with a header and a filter, retried for a day',
    value: {
      url: 'https://receiver.example.com/tributary',
      events: ['stream.completed'],
      headers: { Authorization: 'Bearer abc' },
      filter: { 'payload.stream.name': { prefix: 'call-' }, 'payload.stream.labels': 'sales' },
      retryWindow: 86_400,
    },
  },
};

export type SavedEndpoint = Shape<typeof SAVED_ENDPOINT_SCHEMA>;

const secret: JsonSchema = { type: 'string', description: '`whsec_` and the base64 of 32 bytes, as Standard Webhooks has it.' };
export const SECRET_SCHEMA = s.named('WebhookSecret', s.resource({ secret }));
export const ROTATED_SECRET_SCHEMA = s.named('RotatedWebhookSecret', s.resource({ secret, previousValidUntil: s.time }));

export const PING_SCHEMA = s.named('WebhookTest', s.resource({ deliveryId: s.uuid }));
export const RECOVERED_SCHEMA = s.named('ScheduledRecovery', s.resource({ scheduled: s.count }));

export const RECOVERY_EXAMPLES: BodyExamples = {
  sinceTime: { summary: 'Since a time', value: { since: '2026-01-31T00:00:00Z' } },
  afterPosition: { summary: 'After a log position', value: { after: FIRST_POSITION } },
};

/** `RECOVERY_SCHEMA` in the document: the handler checks that one of the two is given, with its own error. */
export const DOCUMENTED_RECOVERY_SCHEMA: JsonSchema = {
  title: 'Recovery',
  type: 'object',
  properties: {
    since: { type: 'string', format: 'date-time', description: 'Only events at or after this time; UTC without an offset.' },
    after: { type: 'string', pattern: POSITION_PATTERN, description: 'Only events after this log position.' },
  },
  minProperties: 1,
  maxProperties: 1,
  description: 'Send exactly one of the two.',
};

export const RECOVERY_SCHEMA = {
  type: 'object',
  properties: {
    since: { type: ['string', 'null'], maxLength: 64, description: 'Only events at or after this time.' },
    after: { type: ['string', 'null'], maxLength: 128, description: 'Only events after this log position.' },
  },
  description: 'Send exactly one of the two.',
} as const;

export type Recovery = Shape<typeof RECOVERY_SCHEMA>;
