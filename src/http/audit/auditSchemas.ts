import * as s from '../../schema.ts';
import type { QueryParameters } from '../route/route.ts';
import { ACTORS_SCHEMA } from './actors.ts';
import { CORRECTIONS_SCHEMA } from './corrections.ts';

const ofText = (description: string, maxLength = 512) => ({ schema: { type: 'string', maxLength }, description }) as const;

export const EVENT_PARAMETERS = {
  order: { schema: { title: 'LogOrder', type: 'string', enum: ['asc', 'desc'], default: 'desc' }, description: 'Order of the log.' },
  eventStream: ofText('Only events of this event stream.'),
  category: ofText('Only event streams of this category: the part of the name before the first `-`.'),
  exclude: {
    schema: { type: 'string', maxLength: 255 },
    list: 'repeat',
    description: 'No event streams of this category. Repeat it for several.',
  },
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

const AUDIT_EVENT = {
  id: s.uuid,
  eventStream: s.described(s.text, 'The event stream it belongs to.'),
  type: s.text,
  revision: s.described(s.text, 'Revision within the event stream, from 0.'),
  position: s.described(s.text, 'Position in the log. Opaque; sorts in log order.'),
  data: s.anyObject,
  metadata: s.anyObject,
};
export const AUDIT_EVENT_SCHEMA = s.named('LogEvent', s.resource(AUDIT_EVENT));
export const SINGLE_AUDIT_EVENT_SCHEMA = s.named(
  'SingleLogEvent',
  s.resource({ ...AUDIT_EVENT, actors: ACTORS_SCHEMA, corrections: CORRECTIONS_SCHEMA }),
);

export const AUDIT_PAGE_SCHEMA = s.named(
  'LogEventPage',
  s.resource({
    content: s.list(AUDIT_EVENT_SCHEMA),
    next: s.described(s.nullable(s.text), 'The `after` of the next page; null at the end.'),
    actors: ACTORS_SCHEMA,
  }),
);

export const SEAL_LINE_SCHEMA = s.named(
  'SealLine',
  s.described(
    s.anyObject,
    'First a line per public key (`keyId`, `algorithm`, `publicKey`), then the events of `seals` as they are stored.',
  ),
);

export const EVENT_STREAM_STATE_SCHEMA = s.named(
  'EventStreamState',
  s.partial(
    {
      eventStream: s.text,
      revision: s.described(s.text, 'Revision of the last event in the state.'),
      asOf: s.nullable(s.text),
      state: { description: 'State, in the form of its kind of event stream.' },
      difference: s.described(s.list(s.anyObject), 'JSON Patch (RFC 6902) from `state` to the state at `compareWith`.'),
    },
    ['eventStream', 'revision', 'asOf', 'state'],
  ),
);

const brokenEvent = s.named(
  'BrokenEvent',
  s.partial({ eventStream: s.nullable(s.text), revision: s.nullable(s.text), position: s.nullable(s.text), reason: s.text }, ['reason']),
);

const newestSeal = s.named(
  'NewestSeal',
  s.described(
    s.resource({
      revision: s.described(s.text, 'Revision in the event stream `seals`.'),
      position: s.text,
      hash: s.nullable(s.text),
      lastEventId: s.described(s.text, 'The last event that it covers.'),
      keyId: s.text,
      signature: s.text,
      time: s.nullable(s.text),
    }),
    'The newest seal of the log. Keep it elsewhere to prove later that nothing was cut off.',
  ),
);

export const VERDICT_SCHEMA = s.named(
  'Verification',
  s.resource({
    ok: s.flag,
    checked: s.described(s.count, 'Number of events checked.'),
    sealed: s.described(s.nullable(s.text), 'Log position up to which seals cover every event.'),
    firstBroken: s.nullable(brokenEvent),
    notes: s.described(s.list(s.text), 'Sentences on what does not break the log, such as events of other programs.'),
    verifiedTimestamp: s.described(s.time, 'When the verification began.'),
    head: s.described(s.nullable(s.text), 'Position of the last event of the log then.'),
    seal: s.nullable(newestSeal),
  }),
);

export const ERASURE_SCHEMA = s.named(
  'Erasure',
  s.resource({
    subject: s.text,
    streamsCanceled: s.count,
    deliveriesDropped: s.count,
    credentialsRevoked: s.count,
    keysDestroyed: s.count,
    documentsDestroyed: s.count,
    topicsDestroyed: s.count,
  }),
);
