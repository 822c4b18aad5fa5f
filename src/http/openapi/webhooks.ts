import type { JsonSchema } from '../../json.ts';
import type { Components } from '../route/components.ts';
import { type SentType, WEBHOOK_BODIES, WEBHOOK_EVENT_SCHEMA } from '../webhooks/webhookEventSchemas.ts';

const MEANINGS: Readonly<Record<SentType, string>> = {
  'stream.ready': 'A stream was created and is ready to receive data.',
  'stream.completed': 'A stream completed successfully.',
  'stream.failed': 'A stream failed, or was canceled.',
  'stream.expired': 'The retention time of a stream has passed, or it was deleted. Its data are gone.',
  'group.created': 'A new group was created.',
  'group.completed': 'All streams of a group completed. Sent again when a new stream joins and completes.',
  'group.failed': 'All streams of a group finished and at least one failed. Sent again when a new stream joins and fails.',
  'group.expired': 'All streams of a group have expired.',
  'group.stream-joined': 'A stream joined a group.',
  'gateway.connected': 'A client connected to the gateway of a stream.',
  'gateway.disconnected': 'The client disconnected from the gateway.',
  'gateway.closed': 'The gateway of a stream closed permanently.',
  'gateway.error': 'The gateway of a stream closed permanently because of an error.',
  'processor.running': 'A processor started running for a stream.',
  'processor.completed': 'A processor completed successfully.',
  'processor.error': 'A processor failed.',
  'transcript.edited': 'A transcript has a new revision, by an edit or an undo. No wildcard includes it.',
  'endpoint.failing':
    'Another endpoint of the owner fails: five attempts in a row, over at least a minute. Like the other alerts, no wildcard includes it, and the endpoint itself does not get it.',
  'endpoint.recovered': 'Another endpoint of the owner works again, after `endpoint.failing`.',
  'endpoint.disabled': 'The server has disabled another endpoint of the owner.',
  'audit.sealed': 'A seal was appended to the event log. For administrators and auditors; no wildcard includes it.',
  ping: 'A test event, requested with `testWebhookEndpoint`.',
};

const DESCRIPTION =
  'Sent at least once, in no particular order, until it is answered with 2xx: for three hours unless the operator or its endpoint set another time, with growing ' +
  'delays between the attempts. Signed as Standard Webhooks ' +
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
  header('webhook-timestamp', 'Time of the attempt, in seconds since the epoch.', integer),
  header(
    'webhook-signature',
    '`v1,` and the base64 of the HMAC-SHA256. After a rotation, one signature per secret, separated by a space.',
    text,
  ),
  header('webhook-attempt', 'Counts from 1.', integer),
  header('traceparent', 'W3C Trace Context of the request that led to the event.', text),
  header('webhook-sequence', 'Number of the delivery to this endpoint, from 1 without gaps. Not on a ping.', integer, false),
  header('webhook-event-stream', 'Name of the event stream in the log. Not on a ping.', text, false),
  header('webhook-revision', 'Revision of the source event within its event stream. Not on a ping.', integer, false),
  header('webhook-position', 'Log position of the source event. Not on a ping.', text, false),
];

const RESPONSES = {
  '2XX': { description: 'Delivered.' },
  410: { description: 'No longer wanted: the endpoint is disabled.' },
  429: { description: 'Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint.' },
  503: { description: 'Failed: the delivery is retried later. `Retry-After` pauses all deliveries to this endpoint.' },
  default: { description: 'Failed: the delivery is retried later. Redirects are not followed.' },
};

/** The `webhooks` of the document: a path item for each event type. */
export const webhookItems = (components: Components) => {
  components.reference(WEBHOOK_EVENT_SCHEMA);
  return Object.fromEntries(WEBHOOK_BODIES.map(({ type, schemas }) => [type, { post: item(type, schemas, components) }]));
};

const item = (type: SentType, schemas: readonly JsonSchema[], components: Components) => ({
  operationId: `on${type.split(/[.-]/).map(capitalised).join('')}`,
  tags: ['Webhook events'],
  summary: MEANINGS[type],
  description: DESCRIPTION,
  parameters: HEADERS,
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: { allOf: [bodyOf(schemas.map((schema) => components.reference(schema))), { properties: { type: { const: type } } }] },
      },
    },
  },
  responses: RESPONSES,
  security: [],
});

/** The full or the slim form, according to the endpoint's `payload`. */
const bodyOf = (schemas: readonly JsonSchema[]): JsonSchema => {
  const [only] = schemas;
  return only && schemas.length === 1 ? only : { oneOf: schemas };
};

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
