import { conflict, Problem } from '../../domain/problem.ts';
import { isRedactedAway } from '../../domain/stream/redaction.ts';
import { dataGone } from '../../domain/stream/rerunStream.ts';
import { topicId } from '../../domain/stream/streamConfiguration.ts';
import { AUDIO_CONTENT_TYPES, audioTypeOf } from '../../processors/transcriber/audioType.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { framesOf } from '../../results/sinks.ts';
import * as s from '../../schema.ts';
import type { Manifest, Topics } from '../../stores/topics.ts';
import { type ByteRange, byteRange } from '../answers/byteRange.ts';
import { attachment } from '../answers/fileName.ts';
import { preconditionAnswer } from '../answers/preconditions.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../route/route.ts';
import { visibleStream } from './streamLookup.ts';
import { uploadName, uploadSource } from './uploadName.ts';

export interface DataSourceRouteDeps {
  readonly readModels: ReadModels;
  readonly topics: Topics;
}

const ANY_BYTES = 'application/octet-stream';
const BYTES = {
  contentType: ANY_BYTES,
  schema: s.binary,
  alternatives: Object.fromEntries(AUDIO_CONTENT_TYPES.map((type) => [type, s.binary])),
};

/** `GET .../streams/{streamId}/data-source`: the uploaded bytes, as long as the platform keeps them. */
export const dataSourceRoute = (deps: DataSourceRouteDeps): Route =>
  defineRoute({
    operationId: 'readDataSource',
    tag: 'Streams',
    method: 'GET',
    path: '/stream-service/api/v1/streams/{streamId}/data-source',
    summary: 'Downloads the uploaded bytes while they are kept.',
    description:
      'The content type of recordings is detected from their first bytes. `Range` returns a part. `Content-Disposition` has the name of the uploaded file. 404 if the upload did not finish or the stream has expired.',
    access: 'authenticated',
    reads: ['streams'],
    alwaysFresh: true,
    headers: ['Range', 'If-Range'],
    responses: {
      200: { description: 'All of it.', ...BYTES, headers: ['ETag', 'Accept-Ranges'] },
      206: { description: 'The requested part.', ...BYTES, headers: ['ETag', 'Accept-Ranges', 'Content-Range'] },
      409: { description: 'The upload is still in progress.' },
      410: { description: 'The upload was deleted after redaction.' },
      416: { description: 'The range contains no bytes.' },
    },
    handle: (request) => bytesOf(deps, request),
  });

const bytesOf = async (
  { readModels, topics }: DataSourceRouteDeps,
  request: ApiRequest<{ readonly streamId: string }>,
): Promise<ApiResponse> => {
  const document = await visibleStream(readModels, request.params.streamId, request.caller);
  const { stream, upload } = document;
  if (upload.state === 'open') throw conflict('The upload is still in progress. Try again when its gateway is closed.');
  if (isRedactedAway(document, stream.configuration.dataSource.topic)) throw dataGone(REDACTED);
  const topic = topicId(stream.configuration.dataSource.topic);
  const manifest = stream.state === 'EXPIRED' || upload.state === 'failed' ? null : await topics.manifest(topic);
  const beginning = manifest && (await firstFrame(topics, stream.configuration.dataSource.topic, request.signal));
  if (!manifest || !beginning)
    throw new Problem('GENERAL_NOT_FOUND_ERROR', 'The uploaded bytes are no longer kept. The stream has expired, or its upload failed.');
  // Before the range, which is ignored if the preconditions decide.
  const decided = preconditionAnswer(request.header, etagOf(manifest));
  if (decided) return decided;
  const range = wantedRange(request, manifest);
  const chunks = partOf(topics, topic, range ?? { first: 0, last: manifest.bytes - 1 }, request.signal);
  return {
    status: range ? 206 : 200,
    contentType: audioTypeOf(beginning).contentType,
    chunks,
    headers: {
      ETag: etagOf(manifest),
      'Accept-Ranges': 'bytes',
      'Content-Length': String(range ? range.last - range.first + 1 : manifest.bytes),
      // Never rendered as a page: the upload may be anything.
      ...attachment(uploadName(uploadSource(document), beginning)),
      ...(range && { 'Content-Range': `bytes ${range.first}-${range.last}/${manifest.bytes}` }),
    },
  };
};

/** The upload of one stream that the caller may see. */
export const uploadOf =
  (deps: DataSourceRouteDeps) =>
  (request: ApiRequest, streamId: string): Promise<ApiResponse> =>
    bytesOf(deps, request.with({ params: { streamId } }));

const REDACTED = 'The upload was deleted when its stream had been redacted. To keep it, upload with keepMedia=true.';

const etagOf = ({ sha256 }: Manifest): string => `"${sha256}"`;

const wantedRange = (request: ApiRequest, manifest: Manifest): ByteRange | null => {
  const ifRange = request.header('if-range');
  const range = ifRange === undefined || ifRange === etagOf(manifest) ? byteRange(request.header('range'), manifest.bytes) : null;
  if (range !== 'unsatisfiable') return range;
  throw new Problem('GENERAL_BAD_REQUEST_ERROR', `The data have ${manifest.bytes} bytes.`, {
    statusCode: 416,
    title: 'Range not satisfiable',
    headers: { 'Content-Range': `bytes */${manifest.bytes}` },
  });
};

/** `null` if it expired after its manifest was read. */
const firstFrame = async (topics: Topics, topic: string, signal: AbortSignal): Promise<Uint8Array | null> => {
  for await (const { data } of framesOf(topics, topic, signal)) return data;
  return null;
};

/** Where the store does not know where frames begin, earlier bytes are read and skipped. */
async function* partOf(
  topics: Pick<Topics, 'read' | 'seek'>,
  topic: string,
  { first, last }: ByteRange,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { after, byte } = (first > 0 && (await topics.seek?.(topic, first))) || { after: -1, byte: 0 };
  let at = byte;
  for await (const { data } of topics.read(topic, { after, signal })) {
    const piece = data.subarray(Math.max(0, first - at), Math.max(0, last + 1 - at));
    if (piece.length > 0) yield piece;
    at += data.length;
    if (at > last) return;
  }
}
