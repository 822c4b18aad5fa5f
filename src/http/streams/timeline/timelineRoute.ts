import { createHash } from 'node:crypto';
import { Big } from 'big.js';
import { adviceOnStage } from '../../../domain/stream/advice.ts';
import { isStreamEvent, streamEventStream } from '../../../domain/stream/events.ts';
import type { StreamAggregate } from '../../../domain/stream/state.ts';
import { topicId } from '../../../domain/stream/streamConfiguration.ts';
import { type AttemptRun, type StageRun, Timeline } from '../../../domain/stream/timeline.ts';
import type { ReadModels } from '../../../projections/readModels.ts';
import type { EventLog } from '../../../stores/log/eventLog.ts';
import { eventStreamPages } from '../../../stores/pages.ts';
import type { Topics } from '../../../stores/topics.ts';
import { traceIdOf } from '../../../traceContext.ts';
import { listParameters, type PageRequest, pageOf } from '../../answers/page.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../../route/route.ts';
import { visibleStream } from '../streamLookup.ts';
import { pageSchema } from '../streamSchemas.ts';
import { ATTEMPT_TIMELINE } from './timelineSchemas.ts';

export interface TimelineRouteDeps {
  readonly readModels: ReadModels;
  readonly log: EventLog;
  readonly topics: Pick<Topics, 'size'>;
}

const PAGE = 50;

/** `GET .../streams/{streamId}/attempts`: what each stage did, attempt by attempt. */
export const timelineRoute = (deps: TimelineRouteDeps): Route =>
  defineRoute({
    operationId: 'findStreamAttempts',
    tag: 'Streams',
    method: 'GET',
    path: '/stream-service/api/v1/streams/{streamId}/attempts',
    summary: 'Lists the attempts of a stream with the timeline of their stages, newest first.',
    description:
      'For each stage of each attempt: state, times, tries, waits for its engine, sizes, engine and model, error with advice, and cost. Attempt 1 is the upload, each rerun adds one. Poll with `If-None-Match` while the stream is READY.',
    access: 'authenticated',
    reads: ['streams'],
    query: listParameters('attempt,desc'),
    responses: { 200: { description: 'A page of attempts.', schema: pageSchema(ATTEMPT_TIMELINE), headers: ['ETag'] } },
    handle: (request) => listed(deps, request),
  });

const listed = async (
  deps: TimelineRouteDeps,
  { params, caller, query }: ApiRequest<{ readonly streamId: string }, PageRequest>,
): Promise<ApiResponse> => {
  const { stream } = await visibleStream(deps.readModels, params.streamId, caller);
  const timeline = await timelineOf(deps.log, stream.streamId);
  const attempts: object[] = [];
  for (const attempt of newestFirst(timeline, query)) attempts.push(await shownAttempt(deps, timeline.stream, attempt));
  const body = JSON.stringify(pageOf(attempts, timeline.length, query));
  const etag = createHash('sha256').update(body).digest('base64url').slice(0, 27);
  return { status: 200, body, contentType: 'application/json', headers: { ETag: `"${etag}"` } };
};

/** The attempts of a page, each built when it is requested. */
function* newestFirst(timeline: Timeline, { page, size }: PageRequest): Generator<AttemptRun> {
  const newest = timeline.length - 1 - page * size;
  for (let n = newest; n > newest - size; n -= 1) {
    const attempt = timeline.attempt(n);
    if (!attempt) return;
    yield attempt;
  }
}

const timelineOf = async (log: EventLog, streamId: string): Promise<Timeline> => {
  const timeline = new Timeline();
  for await (const events of eventStreamPages(log, streamEventStream(streamId), PAGE)) {
    for (const event of events) {
      const { time, $correlationId: correlationId } = event.metadata;
      if (isStreamEvent(event)) timeline.add({ event, time, correlationId });
    }
  }
  return timeline;
};

/** Bytes by topic name. Missing topics are no longer kept. */
type Sizes = ReadonlyMap<string, number>;

const sizesOf = async (topics: Pick<Topics, 'size'>, stream: StreamAggregate, { stages }: AttemptRun): Promise<Sizes> => {
  const names = new Set(stages.flatMap(({ processor }) => [processor.source.topic, processor.destination.topic]));
  const sizes = new Map<string, number>();
  if (stream.stream.state === 'EXPIRED') return sizes;
  for (const name of names) {
    const size = await topics.size(topicId(name));
    if (size) sizes.set(name, size.bytes);
  }
  return sizes;
};

interface Shown {
  readonly sizes: Sizes;
  readonly aggregate: StreamAggregate;
}

const shownAttempt = async (
  { topics }: Pick<TimelineRouteDeps, 'topics'>,
  aggregate: StreamAggregate | null,
  attempt: AttemptRun,
): Promise<object> => {
  if (!aggregate) throw new Error('an attempt has a stream');
  const sizes = await sizesOf(topics, aggregate, attempt);
  const { idempotency: _, stages, correlationId, ...rest } = attempt;
  return {
    ...rest,
    correlationId,
    traceId: traceIdOf(correlationId),
    credits: stages.reduce((sum, { bill }) => sum.plus(bill?.credits ?? 0), new Big(0)).toFixed(),
    stages: stages.map((stage) => shownStage(stage, { sizes, aggregate })),
  };
};

const shownStage = (stage: StageRun, { sizes, aggregate }: Shown): object => {
  const { link, processor, state, queuedTimestamp, endedTimestamp, tries, waits, engine, description, failure, quantities, bill } = stage;
  const { processorId, declarationId, operationType, previousProcessorId, mode } = link;
  const data = (messageSchema: string, topic: string, measured: number | null | undefined) => ({
    messageSchema,
    bytes: sizes.get(topic) ?? measured ?? null,
    kept: sizes.has(topic),
  });
  return {
    processorId,
    declarationId,
    operationType,
    previousProcessorId,
    mode,
    state,
    queuedTimestamp,
    startedTimestamp: tries[0] ?? null,
    endedTimestamp,
    tries: tries.map((startedTimestamp, n) => ({ number: n + 1, startedTimestamp })),
    waits,
    input: data(link.inputSchema, processor.source.topic, quantities?.ingressSize),
    output: data(processor.destination.messageSchema, processor.destination.topic, quantities?.egressSize),
    engine,
    description,
    error: failure && {
      name: failure.errorName,
      message: failure.reason,
      advice: adviceOnStage(aggregate, { processorId, declarationId, ...failure }),
    },
    credits: bill?.credits ?? null,
    quantities,
  };
};
