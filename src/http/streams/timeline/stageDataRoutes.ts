import { notFound, Problem } from '../../../domain/problem.ts';
import { messageOf } from '../../../domain/stream/messageFrame.ts';
import { isRedactedAway } from '../../../domain/stream/redaction.ts';
import { dataGone } from '../../../domain/stream/rerunStream.ts';
import { topicId } from '../../../domain/stream/streamConfiguration.ts';
import { stageIn } from '../../../domain/stream/timeline.ts';
import type { ReadModels } from '../../../projections/readModels.ts';
import { isRaw } from '../../../results/sinks.ts';
import * as s from '../../../schema.ts';
import { type Frame, TopicMissing, type Topics } from '../../../stores/topics.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../../route/route.ts';
import { visibleStream } from '../streamLookup.ts';
import { firstLines } from './firstLines.ts';

export interface StageDataDeps {
  readonly readModels: ReadModels;
  readonly topics: Pick<Topics, 'read'>;
}

type Side = 'input' | 'output';
type StageRequest = ApiRequest<Readonly<Record<'streamId' | 'attempt' | 'processorId', string>>, { readonly lines?: number }>;

const MESSAGE = s.named(
  'StageMessage',
  s.partial(
    { frameType: s.oneOf('final', 'partial'), payloadSchema: s.text, payload: {}, headers: s.anyObject, sequenceId: { type: 'integer' } },
    ['frameType', 'payloadSchema', 'payload', 'headers'],
  ),
);

/** `GET .../attempts/{attempt}/stages/{processorId}/input` and `/output`: the data that a stage read and wrote. */
export const stageDataRoutes = (deps: StageDataDeps): Route[] => [
  route(deps, 'input', 'readStageInput', 'Downloads the input of a stage while it is kept.'),
  route(deps, 'output', 'readStageOutput', 'Downloads the output of a stage while it is kept.'),
];

const route = (deps: StageDataDeps, side: Side, operationId: string, summary: string): Route =>
  defineRoute({
    operationId,
    summary,
    tag: 'Streams',
    method: 'GET',
    path: `/stream-service/api/v1/streams/{streamId}/attempts/{attempt}/stages/{processorId}/${side}`,
    description:
      'Bytes and text as they are, messages as NDJSON, one a line. While the stage runs, you get what is there so far. 404 when the data are no longer kept, 410 when redaction has deleted them.',
    access: 'authenticated',
    reads: ['streams'],
    params: {
      attempt: { description: 'Attempt of the stream. 1 is the upload.', schema: { type: 'integer', minimum: 1 }, example: 1 },
      processorId: { description: 'The stage.', schema: s.text, example: 'llm' },
    },
    query: {
      lines: {
        schema: { type: 'integer', minimum: 1, maximum: 1_000 },
        description: 'Only this many lines from the start, at most 64 KiB.',
      },
    },
    responses: {
      200: {
        description: 'The data.',
        contentType: 'application/octet-stream',
        schema: s.binary,
        alternatives: { 'text/plain; charset=utf-8': s.text, 'application/x-ndjson': MESSAGE },
      },
      410: { description: 'The data before redaction have been deleted.' },
    },
    handle: (request) => dataOf(deps, side, request),
  });

const REDACTED = 'The data before redaction were deleted at the end of the stream.';
const GONE = 'The data of this stage are no longer kept. Run the stream again to make them again.';

const dataOf = async ({ readModels, topics }: StageDataDeps, side: Side, request: StageRequest): Promise<ApiResponse> => {
  const { params, caller, query, signal } = request;
  const document = await visibleStream(readModels, params.streamId, caller);
  const attempt = /^[1-9]\d{0,8}$/.test(params.attempt) ? Number(params.attempt) : 0;
  const stage = stageIn(document, attempt, params.processorId);
  if (!stage) throw notFound('stage in an attempt of this stream');
  const { link, processor } = stage;
  const name = processor[side === 'input' ? 'source' : 'destination'].topic;
  if (isRedactedAway(document, name)) throw dataGone(REDACTED);
  const topic = topicId(name);
  const schema = side === 'input' ? link.inputSchema : processor.destination.messageSchema;
  if (document.state === 'EXPIRED' || !(await isReadable(topics, topic))) throw new Problem('GENERAL_NOT_FOUND_ERROR', GONE);
  const frames = topics.read(topic, { signal });
  const chunks = isRaw(schema) ? bytesOf(frames) : linesOf(frames);
  const { lines } = query;
  return {
    status: 200,
    contentType: contentTypeOf(schema),
    chunks: lines === undefined ? chunks : firstLines(chunks, lines),
    // Never rendered as a page: the data may be anything.
    headers: { 'Content-Disposition': 'attachment' },
  };
};

const contentTypeOf = (schema: string): string => {
  if (!isRaw(schema)) return 'application/x-ndjson';
  return schema === 'string' ? 'text/plain; charset=utf-8' : 'application/octet-stream';
};

/** Known before the answer begins: `false` for a deleted topic. */
const isReadable = async (topics: Pick<Topics, 'read'>, topic: string): Promise<boolean> => {
  try {
    for await (const _ of topics.read(topic)) return true;
    return true;
  } catch (error) {
    if (error instanceof TopicMissing) return false;
    throw error;
  }
};

async function* bytesOf(frames: AsyncIterable<Frame>): AsyncGenerator<Uint8Array> {
  for await (const { data } of frames) yield data;
}

async function* linesOf(frames: AsyncIterable<Frame>): AsyncGenerator<Uint8Array> {
  for await (const { data } of frames) yield Buffer.from(`${JSON.stringify(messageOf(data))}\n`);
}
