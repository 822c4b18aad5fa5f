import {
  anyObject,
  count,
  described,
  flag,
  listOf,
  named,
  orNull,
  partial,
  resource,
  text,
  textOrNull,
  uuid,
} from '../input/jsonSchemas.ts';
import type { QueryParameter } from '../server/route.ts';

const ofText = (description: string, maxLength = 512): QueryParameter => ({ schema: { type: 'string', maxLength }, description });

export const EVENT_PARAMETERS: Readonly<Record<string, QueryParameter>> = {
  order: { schema: { type: 'string', enum: ['asc', 'desc'], default: 'desc' }, description: 'Of the log.' },
  eventStream: ofText('Only events of this event stream.'),
  category: ofText('Only event streams whose name begins so, up to the first `-`.'),
  type: ofText('Only events of this type.'),
  subject: { ...ofText('Only events of this owner.'), isId: true },
  correlationId: ofText('Only events that came of this request.'),
  from: ofText('Only events of this time or later, ISO 8601.', 64),
  to: ofText('Only events of this time or earlier, ISO 8601.', 64),
  after: ofText('A position: only events behind it, in the order asked for.', 64),
  size: {
    schema: { type: 'integer', minimum: 1, maximum: 1000 },
    description: 'Events in a page (default 100); as NDJSON in all (default: all).',
  },
  form: {
    schema: { type: 'string', enum: ['readable', 'stored'], default: 'readable' },
    description: '`stored`: as the hashes were made of it, personal members encrypted, old versions as they were written.',
  },
};

export const AUDIT_EVENT_SCHEMA = named(
  'LogEvent',
  resource({
    id: uuid,
    eventStream: described(text, 'The sequence of events that it belongs to.'),
    type: text,
    revision: described(text, 'Within the event stream, from 0.'),
    position: described(text, 'Within the log: opaque, sorts as the log does.'),
    data: anyObject,
    metadata: anyObject,
  }),
);

export const AUDIT_PAGE_SCHEMA = named(
  'LogEventPage',
  resource({ content: listOf(AUDIT_EVENT_SCHEMA), next: described(textOrNull, 'The `after` of the next page; null at the end.') }),
);

export const EVENT_STREAM_STATE_SCHEMA = named(
  'EventStreamState',
  partial(
    {
      eventStream: text,
      revision: described(text, 'Of the last event that is in the state.'),
      asOf: textOrNull,
      state: { description: 'As its kind of event stream has it.' },
      difference: described(listOf(anyObject), 'The JSON Patch (RFC 6902) that makes the state of `compareWith` of `state`.'),
    },
    ['eventStream', 'revision', 'asOf', 'state'],
  ),
);

const brokenEvent = named(
  'BrokenEvent',
  partial({ eventStream: textOrNull, revision: textOrNull, position: textOrNull, reason: text }, ['reason']),
);

export const VERDICT_SCHEMA = named(
  'Verification',
  resource({
    ok: flag,
    checked: described(count, 'Events looked at.'),
    sealed: described(textOrNull, 'Position up to which seals cover everything.'),
    firstBroken: orNull(brokenEvent),
  }),
);

export const ERASURE_SCHEMA = named(
  'Erasure',
  resource({
    subject: text,
    streamsCanceled: count,
    deliveriesDropped: count,
    credentialsRevoked: count,
    keysDestroyed: count,
    documentsDestroyed: count,
    topicsDestroyed: count,
  }),
);
