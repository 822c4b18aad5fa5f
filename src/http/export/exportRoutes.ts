import type { Clock } from '../../clock.ts';
import type { Frame, Topics } from '../../stores/topics.ts';
import { type ApiResponse, defineRoute, type Route } from '../server/route.ts';
import { unlessGone } from '../server/unlessGone.ts';
import { ofAttempt } from '../streams/streamLookup.ts';
import { type CollectedExportDeps, CollectedExports } from './collectedExports.ts';
import type { CollectedFormat } from './formatted.ts';
import { EXPORT_PARAMETERS, type ExportParameters, type ExportRequest, exportParameters } from './parameters.ts';
import { EXPORT_RESULT_SCHEMA, SINK_MESSAGE_SCHEMA } from './resultSchemas.ts';
import { askingOf, documentsOf, type SelectionDeps, selectStreams, whenEnded } from './selection.ts';
import { sinkMessage } from './sinkMessages.ts';
import { framesOf, isRaw, isTranscription, matchingSinks, type Sink, withoutPassedOn } from './sinks.ts';

export interface ExportRouteDeps extends SelectionDeps, CollectedExportDeps {
  readonly clock: Clock;
}

/** Serves `GET /export-service/api/v1/export/{format}` (`docs/guides/exports.md`). */
export const exportRoutes = (deps: ExportRouteDeps): Route[] => [exportRoute(deps, new CollectedExports(deps))];

const exportRoute = (deps: ExportRouteDeps, collected: CollectedExports): Route =>
  defineRoute({
    operationId: 'exportStreams',
    tag: 'Export',
    method: 'GET',
    path: '/export-service/api/v1/export/{format}',
    summary: 'Exports the results of one or more streams as JSON, TEXT, EVENTS, SRT or VTT. Waits until the streams have ended.',
    description:
      'Name the streams or a group. JSON and TEXT contain the results of the sinks with the given tags. EVENTS is NDJSON of their messages. SRT and VTT are captions of transcriptions. Only persistent sinks are exported: upload with `persist=true`. If the streams do not exist after `timeout`, the answer is 404.',
    access: 'authenticated',
    reads: ['streams'],
    query: EXPORT_PARAMETERS,
    responses: {
      200: {
        description: 'The results, with the content type of the format.',
        schema: EXPORT_RESULT_SCHEMA,
        alternatives: {
          'application/x-ndjson': SINK_MESSAGE_SCHEMA,
          'text/plain; charset=utf-8': TEXT,
          'application/x-subrip': TEXT,
          'text/vtt': TEXT,
        },
      },
      204: {
        description: 'Nothing to export: no persistent sink matched, the format does not apply to the sinks, or the streams have expired.',
      },
      504: { description: 'The streams did not end in time.' },
    },
    handle: (request) => unlessGone(request, () => exported(deps, collected, request)),
  });

const TEXT = { type: 'string' };
const NOTHING: ApiResponse = { status: 204 };

const exported = async (deps: ExportRouteDeps, collected: CollectedExports, request: ExportRequest): Promise<ApiResponse> => {
  const asking = askingOf(deps, request);
  const parameters = exportParameters(request);
  const { attempt, format, match } = parameters;
  const selected = await selectStreams(deps, parameters.selection, asking);
  const sinks: Sink[][] = [];
  for await (const stream of documentsOf(deps, selected, asking)) {
    // An earlier attempt has ended, so it need not wait for the running one.
    const ended = await whenEnded(deps, ofAttempt(stream, attempt), asking);
    const matching = matchingSinks(ofAttempt(ended, attempt), match);
    request.memory.take(JSON.stringify(matching).length);
    sinks.push(matching);
  }
  if (format === 'EVENTS') return eventsAnswer(deps.topics, sinks.flat(), parameters, request.signal);
  const usable = sinks
    .map((ofStream) => withoutPassedOn(ofStream.filter((sink) => suits(sink, format))))
    .filter(({ length }) => length > 0);
  return usable.length === 0 ? NOTHING : collected.answer(format, usable, request);
};

const eventsAnswer = (
  topics: Pick<Topics, 'read'>,
  sinks: readonly Sink[],
  { omitPayload }: ExportParameters,
  signal: AbortSignal,
): ApiResponse =>
  sinks.length === 0
    ? NOTHING
    : { status: 200, contentType: 'application/x-ndjson', chunks: exportEvents(topics, sinks, omitPayload, signal) };

/** Captions come from transcriptions only; JSON and text from every sink of messages. */
const suits = (sink: Sink, format: CollectedFormat): boolean =>
  format === 'SRT' || format === 'VTT' ? isTranscription(sink) : !isRaw(sink.processor.destination.messageSchema);

const CHUNK_CHARACTERS = 65_536;

/** NDJSON of the final frames of each sink, in chunks of whole lines. Holds one chunk in memory. */
async function* exportEvents(
  topics: Pick<Topics, 'read'>,
  sinks: readonly Sink[],
  omitPayload: boolean,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let chunk = '';
  for (const sink of sinks)
    for await (const frame of framesOf(topics, sink.processor.destination.topic, signal)) {
      chunk += lineOf(sink, frame, omitPayload);
      if (chunk.length < CHUNK_CHARACTERS) continue;
      yield chunk;
      chunk = '';
    }
  if (chunk !== '') yield chunk;
}

/** Empty for a partial result. */
const lineOf = (sink: Sink, frame: Frame, omitPayload: boolean): string => {
  const message = sinkMessage(sink, frame);
  return message.frameType === 'final' ? `${JSON.stringify(omitPayload ? { ...message, payload: null } : message)}\n` : '';
};
