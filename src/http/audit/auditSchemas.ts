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
  time,
  uuid,
} from '../input/jsonSchemas.ts';
import type { QueryParameters } from '../server/route.ts';
import { ACTORS_SCHEMA } from './actors.ts';

const ofText = (description: string, maxLength = 512) => ({ schema: { type: 'string', maxLength }, description }) as const;

export const EVENT_PARAMETERS = {
  order: { schema: { title: 'LogOrder', type: 'string', enum: ['asc', 'desc'], default: 'desc' }, description: 'Order of the log.' },
  eventStream: ofText('Only events of this event stream.'),
  category: ofText('Only event streams of this category: the part of the name before the first `-`.'),
  type: ofText('Only events of this type.'),
  subject: { ...ofText('Only events of this owner.'), isId: true },
  correlationId: ofText('Only events caused by this request.'),
  from: ofText('Only events at or after this ISO 8601 time.', 64),
  to: ofText('Only events at or before this ISO 8601 time.', 64),
  after: ofText('Only events after this log position, in the requested order.', 64),
  size: {
    schema: { type: 'integer', minimum: 1, maximum: 1000 },
    description: 'Events per page (default 100). For NDJSON, events in total (default: all).',
  },
  follow: {
    schema: { type: 'boolean' },
    description:
      'With NDJSON: also sends new events as they are appended, oldest first, for up to ten minutes. Begins after `after`, or with the next event.',
  },
  form: {
    schema: { title: 'LogEventForm', type: 'string', enum: ['readable', 'stored'], default: 'readable' },
    description: '`stored`: the stored form that the hashes cover, with personal members encrypted and old versions not upcast.',
  },
} as const satisfies QueryParameters;

export const AUDIT_EVENT_SCHEMA = named(
  'LogEvent',
  resource({
    id: uuid,
    eventStream: described(text, 'The event stream it belongs to.'),
    type: text,
    revision: described(text, 'Revision within the event stream, from 0.'),
    position: described(text, 'Position in the log. Opaque; sorts in log order.'),
    data: anyObject,
    metadata: anyObject,
  }),
);

export const AUDIT_PAGE_SCHEMA = named(
  'LogEventPage',
  resource({
    content: listOf(AUDIT_EVENT_SCHEMA),
    next: described(textOrNull, 'The `after` of the next page; null at the end.'),
    actors: ACTORS_SCHEMA,
  }),
);

/** A line of the exported seals. */
export const SEAL_LINE_SCHEMA = named(
  'SealLine',
  described(anyObject, 'First a line per public key (`keyId`, `algorithm`, `publicKey`), then the events of `seals` as they are stored.'),
);

export const EVENT_STREAM_STATE_SCHEMA = named(
  'EventStreamState',
  partial(
    {
      eventStream: text,
      revision: described(text, 'Revision of the last event in the state.'),
      asOf: textOrNull,
      state: { description: 'State, in the form of its kind of event stream.' },
      difference: described(listOf(anyObject), 'JSON Patch (RFC 6902) from `state` to the state at `compareWith`.'),
    },
    ['eventStream', 'revision', 'asOf', 'state'],
  ),
);

const brokenEvent = named(
  'BrokenEvent',
  partial({ eventStream: textOrNull, revision: textOrNull, position: textOrNull, reason: text }, ['reason']),
);

const newestSeal = named(
  'NewestSeal',
  described(
    resource({
      revision: described(text, 'Revision in the event stream `seals`.'),
      position: text,
      hash: textOrNull,
      lastEventId: described(text, 'The last event that it covers.'),
      keyId: text,
      signature: text,
      time: textOrNull,
    }),
    'The newest seal of the log. Keep it elsewhere to prove later that nothing was cut off.',
  ),
);

export const VERDICT_SCHEMA = named(
  'Verification',
  resource({
    ok: flag,
    checked: described(count, 'Number of events checked.'),
    sealed: described(textOrNull, 'Log position up to which seals cover every event.'),
    firstBroken: orNull(brokenEvent),
    notes: described(listOf(text), 'Sentences on what does not break the log, such as events of other programs.'),
    verifiedTimestamp: described(time, 'When the verification began.'),
    head: described(textOrNull, 'Position of the last event of the log then.'),
    seal: orNull(newestSeal),
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
