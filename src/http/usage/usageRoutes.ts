import type { Clock } from '../../clock.ts';
import { notFound } from '../../domain/problem.ts';
import { streamEventStream } from '../../domain/stream/events.ts';
import type { Quantities } from '../../domain/stream/streamConfiguration.ts';
import { billFor, type PriceList } from '../../domain/usage/pricing.ts';
import type { Shape } from '../../json.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { type ProcessorUsageRecord, type UsageDocument, usageProjection } from '../../projections/usage.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import type { Topics } from '../../stores/topics.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../route/route.ts';
import { maySee } from '../streams/streamLookup.ts';
import { STREAM_USAGE_SCHEMA } from '../streams/streamSchemas.ts';
import { amountsIn } from './currency.ts';
import { usageReportRoute } from './usageReportRoute.ts';

export interface UsageRouteDeps {
  readonly log: Pick<EventLog, 'head'>;
  readonly readModels: ReadModels;
  readonly topics: Topics;
  readonly clock: Clock;
  readonly priceList: PriceList;
}

export type StreamUsage = Shape<typeof STREAM_USAGE_SCHEMA>;

/** Usage and cost of streams (`docs/guides/cost.md`). */
export const usageRoutes = (deps: UsageRouteDeps): Route[] => [
  defineRoute({
    operationId: 'findStreamUsage',
    tag: 'Usage',
    method: 'GET',
    path: '/usage-service/api/v1/usage/streams/{streamId}',
    summary: 'Returns the usage of each processor of a stream, with its cost.',
    description: 'While a processor runs, its usage so far. `finalUsage` is true once it has ended. Prices are those at the time of use.',
    access: 'authenticated',
    reads: ['usage'],
    alwaysFresh: true,
    query: {
      currency: {
        schema: { type: 'string' },
        description: 'Currency of the amounts, such as USD or EUR. Default: credits.',
        example: 'USD',
      },
    },
    responses: { 200: { description: 'The usage.', schema: STREAM_USAGE_SCHEMA } },
    handle: (request) => usageOfStream(deps, request),
  }),
  usageReportRoute(deps),
];

const usageOfStream = async (
  deps: UsageRouteDeps,
  { params: { streamId }, caller, query }: ApiRequest<{ readonly streamId: string }, { readonly currency?: string }>,
): Promise<ApiResponse> => {
  const priced = amountsIn(deps.priceList, query.currency ?? null);
  const usage = await deps.readModels.getFresh(usageProjection, streamId, streamEventStream(streamId));
  if (!usage || !maySee(caller, usage.creatorId)) throw notFound('stream');
  const used = await Promise.all(usage.processors.map((record) => usedSoFar(deps, usage, record)));
  const body: StreamUsage = {
    creatorId: usage.creatorId,
    groupId: usage.groupId,
    streamId: usage.streamId,
    streamConfigurationTemplateId: usage.streamConfigurationTemplateId,
    currency: priced.currency,
    processors: used.map((processor) => ({ ...processor, credits: priced.amount(processor.credits) })),
  };
  return { status: 200, body };
};

/** A cumulative record for each attempt of a stage. */
type ProcessorUsage = Shape<typeof STREAM_USAGE_SCHEMA>['processors'][number];

/** Usage of a processor: from its outcome, or while it runs from the time and the present sizes of its topics. */
const usedSoFar = async (deps: UsageRouteDeps, stream: UsageDocument, record: ProcessorUsageRecord): Promise<ProcessorUsage> => {
  const now = deps.clock.now();
  const running = record.startedTimestamp !== null && !record.finalUsage;
  const quantities = record.quantities ?? (running ? await measured(deps, record, now) : unused(record));
  const bill = record.bill ?? (running ? billFor(deps.priceList, record.operationType, quantities) : null);
  return {
    creatorId: stream.creatorId,
    processorId: record.processorId,
    streamConfigurationTemplateId: stream.streamConfigurationTemplateId,
    groupId: stream.groupId,
    streamId: stream.streamId,
    operationType: record.operationType,
    attempt: record.streamAttempt,
    timestamp: record.endedTimestamp === null ? now : Date.parse(record.endedTimestamp),
    credits: bill?.credits ?? '0',
    ...quantities,
    finalUsage: record.finalUsage,
    errorOccurred: record.errorOccurred,
  };
};

/** The amounts of audio and tokens are known only at the end. */
const UNKNOWN_YET = { processedAudioLength: null, processedTokens: null, processedInputTokens: null, processedOutputTokens: null } as const;

const measured = async ({ topics }: UsageRouteDeps, record: ProcessorUsageRecord, now: number): Promise<Quantities> => {
  const [read, written] = await Promise.all([topics.size(record.sourceTopic), topics.size(record.destinationTopic)]);
  const egressSize = written?.bytes ?? 0;
  return {
    executionTime: elapsed(record, now),
    storageSize: record.persist ? egressSize : 0,
    ingressSize: read?.bytes ?? 0,
    egressSize,
    ...UNKNOWN_YET,
  };
};

/** It is waiting, was closed before it ran, or ended with its stream: nothing was billed. */
const unused = (record: ProcessorUsageRecord): Quantities => ({
  executionTime: record.endedTimestamp === null ? 0 : elapsed(record, Date.parse(record.endedTimestamp)),
  storageSize: 0,
  ingressSize: 0,
  egressSize: 0,
  ...UNKNOWN_YET,
});

const elapsed = ({ startedTimestamp }: ProcessorUsageRecord, until: number): number =>
  startedTimestamp === null ? 0 : Math.max(0, until - Date.parse(startedTimestamp));
