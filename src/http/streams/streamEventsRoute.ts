import { streamEventStream } from '../../domain/stream/events.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import * as s from '../../schema.ts';
import type { EventLog, RecordedEvent } from '../../stores/log/eventLog.ts';
import { eventStreamPages } from '../../stores/pages.ts';
import { defineRoute, type Route } from '../route/route.ts';
import { visibleStream } from './streamLookup.ts';

const STREAM_EVENT_SCHEMA = s.named(
  'StreamEvent',
  s.resource({
    id: s.uuid,
    type: s.text,
    revision: s.described(s.text, 'Counts from 0.'),
    time: s.time,
    actor: s.described(s.text, 'The credential, policy or processor that caused it.'),
    data: s.anyObject,
  }),
);

/** `GET .../streams/{streamId}/events`: the events of a stream, for its owner; auditors use the audit service. */
export const streamEventsRoute = ({ readModels, log }: { readonly readModels: ReadModels; readonly log: EventLog }): Route =>
  defineRoute({
    operationId: 'findStreamEvents',
    tag: 'Streams',
    method: 'GET',
    path: '/stream-service/api/v1/streams/{streamId}/events',
    summary: 'Lists the events of a stream in order.',
    description:
      'The events as in the log, upcast to the newest version of their schema. A stream has few events: two or three per processor.',
    access: 'authenticated',
    reads: ['streams'],
    alwaysFresh: true,
    responses: {
      200: {
        description: 'All events of the stream.',
        schema: s.named('StreamEvents', s.resource({ content: s.list(STREAM_EVENT_SCHEMA) })),
      },
    },
    handle: async ({ params, caller }) => {
      const { stream } = await visibleStream(readModels, params.streamId, caller);
      return { status: 200, body: { content: shownEvents(log, streamEventStream(stream.streamId)) } };
    },
  });

const PAGE = 50;

/** Reads events only as the caller takes them: a stream may be renamed any number of times, and the caller may be slow. */
async function* shownEvents(log: EventLog, eventStream: string): AsyncGenerator<object> {
  for await (const events of eventStreamPages(log, eventStream, PAGE)) yield* events.map(shown);
}

const shown = ({ id, type, revision, data, metadata }: RecordedEvent): object => ({
  id,
  type,
  revision: String(revision),
  time: metadata.time,
  actor: metadata.actor,
  data,
});
