import { Problem } from '../../domain/problem.ts';
import { topicId } from '../../domain/stream/streamConfiguration.ts';
import { SINK_MESSAGE_SCHEMA } from '../../results/resultSchemas.ts';
import { liveSinks, liveSinksWithPartials, type Sink } from '../../results/sinks.ts';
import * as s from '../../schema.ts';
import type { Topics } from '../../stores/topics.ts';
import { unlessGone } from '../answers/unlessGone.ts';
import { refused } from '../export/parameters.ts';
import { askingOf, documentsOf, type SelectionDeps, selectStreams } from '../export/selection.ts';
import { type ApiResponse, defineRoute, type Route } from '../route/route.ts';
import { type LiveDeps, liveChunks } from './chunks.ts';
import { LIVE_PARAMETERS, type LiveParameters, type LiveRequest, liveParameters } from './parameters.ts';

export interface LiveRouteDeps extends LiveDeps, SelectionDeps {
  readonly topics: Topics;
}

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
      'You can attach before, during or after the upload. You get all messages kept so far, then new ones as they arrive, until the streams end. One read follows at most 1,000 sinks. After a lost connection, continue with `resume`.',
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
  const { signal, memory, place } = request;
  const asking = askingOf(deps, request);
  const selected = await selectStreams(deps, parameters.selection, asking);
  const unfound = new Set(parameters.resume.keys());
  const [sinks, attended]: [Sink[], string[]] = [[], []];
  const sinksOf = parameters.raw || parameters.finalOnly ? liveSinks : liveSinksWithPartials;
  for await (const document of documentsOf(deps, selected, asking)) {
    const followed = sinksOf(document, parameters.match);
    memory.take(JSON.stringify(followed).length + FOLLOWED_BYTES * followed.length);
    sinks.push(...followed);
    if (sinks.length > MAX_FOLLOWED) throw tooMany();
    // Only ephemeral sinks wait for their readers.
    if (!document.persist && document.state !== 'EXPIRED') attended.push(document.streamId);
    for (const { topic } of Object.values(document.stream.configuration.dataSinks)) unfound.delete(topic);
    for (const { processor } of followed) unfound.delete(processor.destination.topic);
  }
  if (unfound.size > 0) throw refused('resume', 'names a sink that none of the streams has');
  await checkResume(deps.topics, parameters);
  // From here on it only follows.
  place.leave();
  return {
    status: 200,
    contentType: parameters.raw ? 'application/octet-stream' : NDJSON,
    // Prevents buffering by proxies.
    headers: { 'X-Accel-Buffering': 'no' },
    chunks: liveChunks(deps, { attended, sinks, parameters, signal, memory }),
  };
};

/** The largest number of sinks in one live read. */
const MAX_FOLLOWED = 1_000;
/** Memory of one followed sink, in bytes: twenty reads of 1,380 sinks took some 370 MB. */
const FOLLOWED_BYTES = 16_384;

const tooMany = (): Problem =>
  new Problem('GENERAL_BAD_REQUEST_ERROR', `A live read follows at most ${MAX_FOLLOWED} sinks. Name fewer streams, or other tags.`);

/** Throws 400 for a message that a finished sink does not contain. An open sink may still get it. */
const checkResume = async (topics: Topics, { resume }: LiveParameters): Promise<void> => {
  for (const [topic, sequence] of resume) {
    const manifest = await topics.manifest(topicId(topic));
    if (manifest && sequence >= manifest.frames) throw refused('resume', 'names a message that its sink does not have');
  }
};
