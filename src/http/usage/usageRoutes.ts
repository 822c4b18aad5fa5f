import type { Clock } from '../../clock.ts';
import { notFound } from '../../domain/problem.ts';
import { streamEventStream } from '../../domain/stream/events.ts';
import type { PriceList } from '../../domain/usage/pricing.ts';
import type { Shape } from '../../json.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { usageProjection } from '../../projections/usage.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import type { Topics } from '../../stores/topics.ts';
import { isUuid } from '../input/uuid.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../server/route.ts';
import { maySee } from '../streams/streamLookup.ts';
import { STREAM_USAGE_SCHEMA } from '../streams/streamSchemas.ts';
import { amountsIn } from './currency.ts';
import { usageReportRoute } from './usageReportRoute.ts';
import { usedSoFar } from './usedSoFar.ts';

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
  const usage = isUuid(streamId) ? await deps.readModels.getFresh(usageProjection, streamId, streamEventStream(streamId)) : null;
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
