import { topicId } from '../../domain/stream/streamConfiguration.ts';
import type { StreamDocument } from '../../projections/streams.ts';
import * as s from '../../schema.ts';
import type { Topics } from '../../stores/topics.ts';
import { SINK_MESSAGE_SCHEMA } from '../export/resultSchemas.ts';
import { type Asking, type SelectionDeps, selectStreams } from '../export/selection.ts';
import { liveSinks } from '../export/sinks.ts';
import { type ApiResponse, defineRoute, type Route } from '../server/route.ts';
import { unlessGone } from '../server/unlessGone.ts';
import { type LiveDeps, liveChunks } from './chunks.ts';
import { LIVE_PARAMETERS, type LiveParameters, type LiveRequest, liveParameters, refused } from './parameters.ts';

export interface LiveRouteDeps extends LiveDeps, SelectionDeps {}

const NDJSON = 'application/x-ndjson';

/** Serves `GET /egress-service/api/v1/egress/live` (`docs/guides/live.md`). */
export const liveRoutes = (deps: LiveRouteDeps): Route[] => [
  defineRoute({
    operationId: 'readLive',
    tag: 'Live results',
    method: 'GET',
    path: '/egress-service/api/v1/egress/live',
    summary: 'Streams the sink messages of one or more streams while they run.',
    description:
      'You can attach before, during or after the upload. You get all messages kept so far, then new ones as they arrive, until the streams end. After a lost connection, continue with `resume`.',
    access: 'authenticated',
    reads: ['streams'],
    query: LIVE_PARAMETERS,
    responses: {
      200: {
        description: 'One JSON line per message, or the bytes with RAW. Headers are sent once the streams exist.',
        schema: SINK_MESSAGE_SCHEMA,
        contentType: NDJSON,
        alternatives: { 'application/octet-stream': s.binary },
      },
      404: { description: 'The streams were not created in time.' },
    },
    handle: (request) => unlessGone(request, () => live(deps, request)),
  }),
];

const live = async (deps: LiveRouteDeps, request: LiveRequest): Promise<ApiResponse> => {
  const parameters = liveParameters(request);
  const { caller, signal } = request;
  const asking: Asking = { caller, signal, since: deps.clock.monotonic() };
  const streams = await selectStreams(deps, parameters.selection, asking);
  await checkResume(deps.topics, streams, parameters);
  const sinks = streams.flatMap((stream) => liveSinks(stream, parameters.match));
  return {
    status: 200,
    contentType: parameters.raw ? 'application/octet-stream' : NDJSON,
    // Prevents buffering by proxies.
    headers: { 'X-Accel-Buffering': 'no' },
    chunks: liveChunks(deps, { streams, sinks, parameters, signal }),
  };
};

/** Throws 400 for a sink that no stream has, and for a message that a finished sink does not contain. An open sink may still get it. */
const checkResume = async (topics: Topics, streams: readonly StreamDocument[], { resume }: LiveParameters): Promise<void> => {
  const sinks = new Set(streams.flatMap(({ stream }) => Object.values(stream.configuration.dataSinks).map(({ topic }) => topic)));
  for (const [topic, sequence] of resume) {
    if (!sinks.has(topic)) throw refused('resume', 'names a sink that none of the streams has');
    const manifest = await topics.manifest(topicId(topic));
    if (manifest && sequence >= manifest.frames) throw refused('resume', 'names a message that its sink does not have');
  }
};
