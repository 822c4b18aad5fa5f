import type { QueryParameter } from './route.ts';

const text = (description: string, maxLength = 512): QueryParameter => ({ schema: { type: 'string', maxLength }, description });

export const EVENT_PARAMETERS: Readonly<Record<string, QueryParameter>> = {
  order: { schema: { type: 'string', enum: ['asc', 'desc'], default: 'desc' }, description: 'Of the log.' },
  eventStream: text('Only events of this event stream.'),
  category: text('Only event streams whose name begins so, up to the first `-`.'),
  type: text('Only events of this type.'),
  subject: { ...text('Only events of this owner.'), isId: true },
  correlationId: text('Only events that came of this request.'),
  from: text('Only events of this time or later, ISO 8601.', 64),
  to: text('Only events of this time or earlier, ISO 8601.', 64),
  after: text('A position: only events behind it, in the order asked for.', 64),
  size: {
    schema: { type: 'integer', minimum: 1, maximum: 1000 },
    description: 'Events in a page (default 100); as NDJSON in all (default: all).',
  },
  form: {
    schema: { type: 'string', enum: ['readable', 'stored'], default: 'readable' },
    description: '`stored`: as the hashes were made of it, personal members encrypted, old versions as they were written.',
  },
};

export const AUDIT_EVENT_SCHEMA = {
  type: 'object',
  required: ['id', 'eventStream', 'type', 'revision', 'position', 'data', 'metadata'],
  properties: {
    id: { type: 'string', format: 'uuid' },
    eventStream: { type: 'string' },
    type: { type: 'string' },
    revision: { type: 'string', description: 'Within the event stream, from 0.' },
    position: { type: 'string', description: 'Within the log: opaque, sorts as the log does.' },
    data: { type: 'object' },
    metadata: { type: 'object' },
  },
};

export const VERDICT_SCHEMA = {
  type: 'object',
  required: ['ok', 'checked', 'sealed', 'firstBroken'],
  properties: {
    ok: { type: 'boolean' },
    checked: { type: 'integer', description: 'Events looked at.' },
    sealed: { type: ['string', 'null'], description: 'Position up to which seals cover everything.' },
    firstBroken: {
      type: ['object', 'null'],
      properties: {
        eventStream: { type: 'string' },
        revision: { type: 'string' },
        position: { type: 'string' },
        reason: { type: 'string' },
      },
    },
  },
};

const count = { type: 'integer', minimum: 0 };

export const ERASURE_SCHEMA = {
  type: 'object',
  properties: {
    subject: { type: 'string' },
    streamsCanceled: count,
    deliveriesDropped: count,
    credentialsRevoked: count,
    keysDestroyed: count,
    documentsDestroyed: count,
    topicsDestroyed: count,
  },
};
