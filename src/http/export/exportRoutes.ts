import { Serial } from '../../stores/serial.ts';
import type { Topics } from '../../stores/topics.ts';
import { END, Items } from '../../supervision/items.ts';
import { inSteps, ownTurn, SMALL_STEP_BYTES } from '../../supervision/ownTurn.ts';
import { weightOf } from '../../weight.ts';
import { readAtPaceOf } from '../heldFrames.ts';
import type { SinkFrame } from '../live/follow.ts';
import { type ApiResponse, defineRoute, type Route } from '../server/route.ts';
import { unlessGone } from '../server/unlessGone.ts';
import { ofAttempt } from '../streams/streamLookup.ts';
import { exportSrt, exportVtt, hasCues } from './captions.ts';
import { HeldRead } from './heldReads.ts';
import { exportResult } from './json.ts';
import { EXPORT_PARAMETERS, type ExportFormat, type ExportParameters, type ExportRequest, exportParameters } from './parameters.ts';
import { EXPORT_RESULT_SCHEMA, SINK_MESSAGE_SCHEMA } from './resultSchemas.ts';
import { resultsOf, type StreamResults } from './results.ts';
import { type Asking, documentsOf, type SelectionDeps, selectStreams, whenEnded } from './selection.ts';
import { isRaw, sinkMessage } from './sinkMessages.ts';
import { framesOf, holdCollected, isTranscription, matchingSinks, type Sink, withoutPassedOn } from './sinks.ts';
import { answerInPieces, jsonParts } from './steps.ts';
import { exportText } from './text.ts';

export interface ExportRouteDeps extends SelectionDeps {
  readonly topics: Topics;
}

/** Serves `GET /export-service/api/v1/export/{format}` (`docs/guides/exports.md`). */
export const exportRoutes = (deps: ExportRouteDeps): Route[] => [
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
      503: { description: 'Open exports and live reads hold too much memory. Read them first.' },
      504: { description: 'The streams did not end in time.' },
    },
    handle: (request) => unlessGone(request, () => exported(deps, request)),
  }),
];

const TEXT = { type: 'string' };
/** Exports of one user without payloads are read one at a time: they send little, and may read very much. */
const withoutPayloads = new Serial();
const NOTHING: ApiResponse = { status: 204 };

const exported = async (deps: ExportRouteDeps, request: ExportRequest): Promise<ApiResponse> => {
  const asking: Asking = { caller: request.caller, signal: request.signal, since: deps.clock.monotonic() };
  const parameters = exportParameters(request);
  const { attempt } = parameters;
  const selected = await selectStreams(deps, parameters.selection, asking);
  const held = new HeldRead(request.caller.subject, request.outgoing);
  const sinks: Sink[][] = [];
  for await (const stream of documentsOf(deps, selected, asking)) {
    // An earlier attempt has ended, so it need not wait for the running one.
    const ended = await whenEnded(deps, ofAttempt(stream, attempt), asking);
    const matching = matchingSinks(ofAttempt(ended, attempt), parameters.match);
    held.add(weightOf(matching));
    sinks.push(matching);
  }
  return parameters.format === 'EVENTS'
    ? eventsAnswer(deps.topics, sinks.flat(), parameters, request)
    : collectedAnswer(deps.topics, sinks, parameters.format, held, request.signal);
};

const eventsAnswer = async (
  topics: Pick<Topics, 'read'>,
  sinks: readonly Sink[],
  { omitPayload }: ExportParameters,
  { caller, signal }: ExportRequest,
): Promise<ApiResponse> => {
  if (sinks.length === 0) return NOTHING;
  // Reads that take turns must not wait for the room of each other.
  const atPace = omitPayload ? topics : readAtPaceOf(caller.subject, topics);
  const chunks = exportEvents(atPace, sinks, omitPayload, signal);
  return { status: 200, contentType: 'application/x-ndjson', chunks: omitPayload ? withoutPayloads.items(caller.subject, chunks) : chunks };
};

const collectedAnswer = async (
  topics: Topics,
  sinks: readonly (readonly Sink[])[],
  format: Exclude<ExportFormat, 'EVENTS'>,
  held: HeldRead,
  signal: AbortSignal,
): Promise<ApiResponse> => {
  const usable = sinks
    .map((ofStream) => withoutPassedOn(ofStream.filter((sink) => suits(sink, format))))
    .filter(({ length }) => length > 0);
  if (usable.length === 0) return NOTHING;
  await holdCollected(topics, usable.flat(), held);
  const results: StreamResults[] = [];
  for (const ofStream of usable) results.push(await resultsOf(topics, ofStream, signal));
  if ((format === 'SRT' || format === 'VTT') && !(await inSteps(hasCues(results)))) return NOTHING;
  return answerOf(format, results);
};

/** Captions come from transcriptions only; JSON and text from every sink of messages. */
const suits = (sink: Sink, format: ExportFormat): boolean =>
  format === 'SRT' || format === 'VTT' ? isTranscription(sink) : !isRaw(sink.processor.destination.messageSchema);

const answerOf = async (format: Exclude<ExportFormat, 'EVENTS'>, results: readonly StreamResults[]): Promise<ApiResponse> => {
  switch (format) {
    case 'JSON':
      return answerInPieces('application/json', jsonParts(await inSteps(exportResult(results))));
    case 'TEXT':
      return answerInPieces('text/plain; charset=utf-8', exportText(results));
    case 'SRT':
      return answerInPieces('application/x-subrip', exportSrt(results));
    case 'VTT':
      return answerInPieces('text/vtt', exportVtt(results));
  }
};

const CHUNK_CHARACTERS = 65_536;

/** NDJSON of the final frames of each sink, in chunks of whole lines. Holds one chunk in memory. */
const exportEvents = (
  topics: Pick<Topics, 'read'>,
  sinks: readonly Sink[],
  omitPayload: boolean,
  signal: AbortSignal,
): AsyncIterable<string> => {
  const frames = framesOfAll(topics, sinks, signal);
  const next = async (): Promise<IteratorResult<string, undefined>> => {
    await ownTurn();
    let chunk = '';
    while (chunk.length < CHUNK_CHARACTERS) {
      const { done, value } = await frames.next();
      if (done) break;
      if (value.frame.data.byteLength > SMALL_STEP_BYTES) await ownTurn();
      chunk += lineOf(value, omitPayload);
    }
    return chunk === '' ? END : { done: false, value: chunk };
  };
  return new Items(next, () => frames.return(undefined));
};

async function* framesOfAll(
  topics: Pick<Topics, 'read'>,
  sinks: readonly Sink[],
  signal: AbortSignal,
): AsyncGenerator<SinkFrame, undefined> {
  for (const sink of sinks) for await (const frame of framesOf(topics, sink.processor.destination.topic, signal)) yield { sink, frame };
}

/** Empty for a partial result. A function of its own: its message is let go before a slow reader is waited for. */
const lineOf = ({ sink, frame }: SinkFrame, omitPayload: boolean): string => {
  const message = sinkMessage(sink.stream, sink.processor, frame);
  return message.frameType === 'final' ? `${JSON.stringify(omitPayload ? { ...message, payload: null } : message)}\n` : '';
};
