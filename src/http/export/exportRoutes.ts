import type { Clock } from '../../clock.ts';
import { findCorrections } from '../../commands/transcript/findCorrections.ts';
import { withCompletedRuns } from '../../domain/stream/attempts.ts';
import type { StreamAggregate } from '../../domain/stream/state.ts';
import { EXPORT_RESULT_SCHEMA, SINK_MESSAGE_SCHEMA } from '../../results/resultSchemas.ts';
import { EVERY_SINK, isRaw, isTranscription, keptSinks, resultSinks, type Sink, topicOf, withoutPassedOn } from '../../results/sinks.ts';
import * as s from '../../schema.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import type { Topics } from '../../stores/topics.ts';
import { attachment } from '../answers/fileName.ts';
import { unlessGone } from '../answers/unlessGone.ts';
import { type CollectedFormat, type ExportFormat, FILE_TYPES } from '../route/fileTypes.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../route/route.ts';
import { ofAttempt } from '../streams/streamLookup.ts';
import { streamFileName, type UploadSource, uploadSource } from '../streams/uploadName.ts';
import { type CollectedExportDeps, CollectedExports } from './collectedExports.ts';
import { exportEvents } from './events.ts';
import type { FormatOptions } from './formats/formatted.ts';
import { EXPORT_PARAMETERS, type ExportParameters, type ExportRequest, exportParameters, MAIN_SINKS } from './parameters.ts';
import { askingOf, documentsOf, type SelectionDeps, selectStreams, whenEnded } from './selection.ts';
import { type ZipFolder, zipAnswer } from './zip/zipExport.ts';

export interface ExportRouteDeps extends SelectionDeps, CollectedExportDeps {
  readonly clock: Clock;
  readonly log: EventLog;
}

/** Serves `GET /export-service/api/v1/export/{format}` (`docs/guides/exports.md`). */
export const exportRoutes = (deps: ExportRouteDeps): { readonly routes: readonly Route[]; readonly exported: ExportOne } => {
  const collected = new CollectedExports(deps);
  return {
    routes: [exportRoute(deps, collected)],
    exported: (request, streamId, format, attempt) =>
      exported(
        deps,
        collected,
        request.with({ params: { format }, query: { ...DEFAULTS, streams: [streamId], ...(attempt && { attempt }) } }),
      ),
  };
};

/** One stream in a format, without further parameters. */
export type ExportOne = (request: ApiRequest, streamId: string, format: ExportFormat, attempt?: number) => Promise<ApiResponse>;

const DEFAULTS = {
  streamsInclusion: 'INCLUDE',
  matchTags: 'ANY',
  timeout: 0,
  omitPayload: false,
  edited: true,
  shift: false,
  summary: false,
  media: false,
} as const;

const exportRoute = (deps: ExportRouteDeps, collected: CollectedExports): Route =>
  defineRoute({
    operationId: 'exportStreams',
    tag: 'Export',
    method: 'GET',
    path: '/export-service/api/v1/export/{format}',
    summary: 'Exports the results of one or more streams as a file. Waits until the streams have ended.',
    description:
      'Name the streams or a group. `tags` choose the sinks. EVENTS is NDJSON of their messages; SRT and VTT are captions of transcriptions; DOCX, MD and CSV are transcripts; ZIP has a folder of files for each stream. Only persistent sinks are exported: upload with `persist=true`. If the streams do not exist after `timeout`, the answer is 404.',
    access: 'authenticated',
    reads: ['streams'],
    query: EXPORT_PARAMETERS,
    responses: {
      200: {
        description: 'The results, with the content type of the format.',
        schema: EXPORT_RESULT_SCHEMA,
        alternatives: {
          [FILE_TYPES.EVENTS.contentType]: SINK_MESSAGE_SCHEMA,
          ...Object.fromEntries(TEXTS.map((format) => [FILE_TYPES[format].contentType, s.text])),
          ...Object.fromEntries(BINARIES.map((format) => [FILE_TYPES[format].contentType, s.binary])),
        },
        headers: ['Content-Disposition'],
      },
      204: {
        description: 'Nothing to export: no persistent sink matched, the format does not apply to the sinks, or the streams have expired.',
      },
      504: { description: 'The streams did not end in time.' },
    },
    handle: (request) => unlessGone(request, () => exported(deps, collected, request)),
  });

const TEXTS = ['TEXT', 'SRT', 'VTT', 'MD', 'CSV'] as const;
const BINARIES = ['DOCX', 'ZIP'] as const;
const NOTHING: ApiResponse = { status: 204 };

/** A stream that has ended, without what exports do not need: there may be thousands. */
interface EndedStream {
  readonly source: UploadSource;
  /** Whether its upload is kept. */
  readonly hasMedia: boolean;
  /** The kept ones with the tags. */
  readonly sinks: readonly Sink[];
}

const exported = async (deps: ExportRouteDeps, collected: CollectedExports, request: ExportRequest): Promise<ApiResponse> => {
  const asking = askingOf(deps, request);
  const parameters = exportParameters(request);
  const { attempt, edited, format, match } = parameters;
  const selected = await selectStreams(deps, parameters.selection, asking);
  const streams: EndedStream[] = [];
  for await (const found of documentsOf(deps, selected, asking)) {
    // An earlier attempt has ended, so it need not wait for the running one.
    const ended = await whenEnded(deps, ofAttempt(found, attempt), asking);
    const document = attempt === undefined ? withCompletedRuns(ended) : ofAttempt(ended, attempt);
    const kept = keptSinks(document, match ?? (format === 'EVENTS' ? MAIN_SINKS : EVERY_SINK));
    const sinks = edited && format !== 'EVENTS' ? await corrected(deps.log, ended, attempt, kept) : kept;
    const hasMedia = document.state !== 'EXPIRED' && document.upload.state === 'completed';
    const stream = { source: uploadSource(document), hasMedia, sinks };
    request.memory.take(JSON.stringify(stream).length);
    streams.push(stream);
  }
  const answer = await fileAnswer(deps, collected, streams, parameters, request);
  return answer.status === 204 ? answer : { ...answer, headers: attachment(fileNameOf(streams, format)) };
};

/** The sinks, that of the transcript with its corrections. */
const corrected = async (
  log: EventLog,
  stream: StreamAggregate,
  attempt: number | undefined,
  sinks: readonly Sink[],
): Promise<readonly Sink[]> => {
  const found = sinks.some(isTranscription) ? await findCorrections(log, stream, attempt) : null;
  if (!found) return sinks;
  return sinks.map((sink) => (topicOf(sink) === found.topic ? { ...sink, corrections: found.corrections } : sink));
};

const fileAnswer = (
  deps: ExportRouteDeps,
  collected: CollectedExports,
  streams: readonly EndedStream[],
  parameters: ExportParameters,
  request: ExportRequest,
): Promise<ApiResponse> | ApiResponse => {
  const { format, match, options, omitPayload } = parameters;
  if (format === 'EVENTS')
    return eventsAnswer(
      deps.topics,
      streams.flatMap(({ sinks }) => sinks),
      omitPayload,
      request.signal,
    );
  if (format === 'ZIP') {
    const folders = streams.map((stream) => folderOf(stream, parameters)).filter(({ files, media }) => files.length > 0 || media);
    return folders.length === 0 ? NOTHING : zipAnswer({ topics: deps.topics, collected }, folders, request);
  }
  const usable = streams.map(({ sinks }) => sinksFor(format, sinks, match !== null, options)).filter(({ length }) => length > 0);
  return usable.length === 0 ? NOTHING : collected.answer({ format, streams: usable, options }, request);
};

/** The name of the first stream, with the number of others. */
const fileNameOf = (streams: readonly EndedStream[], format: ExportFormat): string => {
  const [first] = streams;
  const others = streams.length > 1 ? ` and ${streams.length - 1} more` : '';
  return `${first ? streamFileName(first.source) : 'export'}${others}.${FILE_TYPES[format].ending}`;
};

const folderOf = ({ source, hasMedia, sinks }: EndedStream, { formats, match, media, options }: ExportParameters): ZipFolder => ({
  source,
  files: formats.flatMap((format) => {
    const usable = sinksFor(format, sinks, match !== null, options);
    return usable.length > 0 ? [{ format, streams: [usable], options }] : [];
  }),
  media: media && hasMedia,
});

const eventsAnswer = (topics: Pick<Topics, 'read'>, sinks: readonly Sink[], omitPayload: boolean, signal: AbortSignal): ApiResponse =>
  sinks.length === 0
    ? NOTHING
    : { status: 200, contentType: FILE_TYPES.EVENTS.contentType, chunks: exportEvents(topics, sinks, omitPayload, signal) };

const sinksFor = (format: CollectedFormat, kept: readonly Sink[], byTags: boolean, { summary }: FormatOptions): Sink[] => {
  const suitable = kept.filter((sink) => suits(sink, format));
  return byTags ? withoutPassedOn(suitable) : resultSinks(suitable, { all: format === 'JSON' || summary });
};

const OF_SPEECH: readonly CollectedFormat[] = ['SRT', 'VTT', 'CSV'];

/** Captions and tables come from transcriptions only; other formats from every sink of messages. */
const suits = (sink: Sink, format: CollectedFormat): boolean =>
  OF_SPEECH.includes(format) ? isTranscription(sink) : !isRaw(sink.processor.destination.messageSchema);
