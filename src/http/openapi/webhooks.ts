import type { JsonSchema } from '../../json.ts';
import { WEBHOOK_BODIES, WEBHOOK_EVENT_SCHEMA } from '../webhooks/webhookEventSchemas.ts';
import type { Components } from './components.ts';

/** What the types mean: interface document, "Event types". */
const MEANINGS: Readonly<Record<string, string>> = {
  'stream.ready': 'A stream was created and is ready to receive data.',
  'stream.completed': 'A stream completed successfully.',
  'stream.failed': 'A stream failed, or was canceled.',
  'stream.expired': 'The storage time of a stream is over, or it was deleted: its bytes are gone.',
  'group.created': 'A new group was created.',
  'group.completed': 'All streams of a group completed successfully; again when a new stream joins and completes.',
  'group.failed': 'All streams of a group have finished and at least one failed; again when a new stream joins and fails.',
  'group.expired': 'All streams of a group have expired.',
  'group.stream-joined': 'A stream joined a group.',
  'gateway.connected': 'A client connected to the gateway of a stream.',
  'gateway.disconnected': 'The client disconnected from the gateway.',
  'gateway.closed': 'The gateway of a stream is closed for good.',
  'gateway.error': 'The gateway of a stream is closed for good, because of an error.',
  'processor.running': 'A processor runs for a stream.',
  'processor.completed': 'A processor completed successfully.',
  'processor.error': 'A processor failed.',
  ping: 'Asked for with `testWebhookEndpoint`.',
};

const DESCRIPTION =
  'Sent at least once, in no particular order, until it is answered with 2xx: for three hours, with growing pauses. Signed as Standard Webhooks ' +
  'has it: verify the signature over `webhook-id.webhook-timestamp.body`, and leave out an id that was handled before.';

const header = (name: string, description: string, schema: JsonSchema, required = true) => ({
  name,
  in: 'header',
  required,
  description,
  schema,
});
const text: JsonSchema = { type: 'string' };
const integer: JsonSchema = { type: 'string', pattern: '^\\d+$' };

const HEADERS = [
  header('webhook-id', 'Id of the event: the same on every attempt.', text),
  header('webhook-timestamp', 'Of the attempt, in seconds since the epoch.', integer),
  header('webhook-signature', '`v1,` and the base64 of the HMAC-SHA256; after a rotation one of each secret, a space between.', text),
  header('webhook-attempt', 'Counts from 1.', integer),
  header('traceparent', 'W3C Trace Context: of the request that led to the event.', text),
  header('webhook-sequence', 'Counts the deliveries of the endpoint from 1, without gaps. Not on a ping.', integer, false),
  header('webhook-event-stream', 'Name of the event stream in the log.', text, false),
  header('webhook-revision', 'Of the source event within it.', integer, false),
  header('webhook-position', 'Of the source event in the log. Not on a ping.', text, false),
];

const RESPONSES = {
  '2XX': { description: 'Delivered.' },
  410: { description: 'Not wanted any more: the endpoint is disabled.' },
  429: { description: 'Too much: `Retry-After` slows the endpoint down.' },
  503: { description: 'Not now: `Retry-After` slows the endpoint down.' },
  default: { description: 'Failed: sent again later. A redirection is not followed.' },
};

/** The `webhooks` of the document: a path item for each event type. */
export const webhookItems = (components: Components): object => {
  components.reference(WEBHOOK_EVENT_SCHEMA);
  return Object.fromEntries(WEBHOOK_BODIES.map(({ type, schema }) => [type, { post: item(type, components.reference(schema)) }]));
};

const item = (type: string, schema: JsonSchema): object => ({
  operationId: `on${type.split(/[.-]/).map(capitalised).join('')}`,
  tags: ['Webhook events'],
  summary: MEANINGS[type] ?? type,
  description: DESCRIPTION,
  parameters: HEADERS,
  requestBody: {
    required: true,
    content: { 'application/json': { schema: { allOf: [schema, { properties: { type: { const: type } } }] } } },
  },
  responses: RESPONSES,
  security: [],
});

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
