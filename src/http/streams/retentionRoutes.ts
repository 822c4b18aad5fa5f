import { type KeepDeps, keepStream } from '../../commands/changeOwnStream.ts';
import { timeOf } from '../../domain/parseTime.ts';
import { expiryOf, latestExpiryOf, type RetentionLimits } from '../../domain/stream/retention.ts';
import type { StreamAggregate } from '../../domain/stream/state.ts';
import type { Shape } from '../../json.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import * as s from '../../schema.ts';
import { commandContext } from '../server/commandContext.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../server/route.ts';
import { checkStreamId, visibleStream } from './streamLookup.ts';

export interface RetentionRouteDeps extends KeepDeps {
  readonly readModels: ReadModels;
}

const SHARED = {
  tag: 'Streams',
  path: '/stream-service/api/v1/streams/{streamId}/retention',
  access: 'authenticated',
} as const;

const RETENTION = s.named(
  'StreamRetention',
  s.resource({
    streamId: s.uuid,
    until: s.described(
      s.nullable(s.time),
      'When the data are deleted. Live readers keep ephemeral data longer. Null while the stream runs, unless its owner asked for a time, and once it has expired.',
    ),
    latest: s.described(s.nullable(s.time), 'The latest time that the owner may ask for. Null once the stream has expired.'),
  }),
);

const BODY = {
  title: 'StreamRetentionDraft',
  type: 'object',
  required: ['until'],
  additionalProperties: false,
  properties: { until: { type: 'string', maxLength: 64, description: 'ISO 8601; UTC without an offset.' } },
} as const;

/** `/stream-service/api/v1/streams/{streamId}/retention`: when the data of a stream are deleted. */
export const retentionRoutes = (deps: RetentionRouteDeps): Route[] => [
  defineRoute({
    ...SHARED,
    operationId: 'findStreamRetention',
    method: 'GET',
    summary: 'Returns when the data of a stream are deleted.',
    description: 'Events are kept; the uploaded bytes and the results are deleted.',
    reads: ['streams'],
    alwaysFresh: true,
    responses: { 200: { description: 'The retention of the stream.', schema: RETENTION } },
    handle: async ({ params, caller }) => {
      const stream = await visibleStream(deps.readModels, params.streamId, caller);
      return { status: 200, body: shown(stream, deps.retention, deps.clock.now()) };
    },
  }),
  defineRoute({
    ...SHARED,
    operationId: 'extendStreamRetention',
    method: 'PUT',
    summary: 'Keeps the data of a stream longer. Only for its owner.',
    description: 'The time can only be moved later, up to `RETENTION_MAX_S` after the end of the stream. Sends no webhook.',
    body: { kind: 'json', schema: BODY, examples: { later: { summary: 'A later day', value: { until: '2026-03-01T00:00:00Z' } } } },
    responses: {
      200: { description: 'The new retention.', schema: RETENTION },
      409: { description: 'The stream has expired, or expires within two seconds.' },
    },
    handle: (request) => extended(deps, request),
  }),
];

const extended = async (
  deps: RetentionRouteDeps,
  request: ApiRequest<{ readonly streamId: string }, unknown, Shape<typeof BODY>>,
): Promise<ApiResponse> => {
  const { streamId } = request.params;
  checkStreamId(streamId);
  const until = Date.parse(timeOf(request.body.until, 'until'));
  const { aggregate, position } = await keepStream(deps, { streamId, until, caller: request.caller }, commandContext(request));
  return { status: 200, body: shown(aggregate, deps.retention, deps.clock.now()), consistency: { position, projections: ['streams'] } };
};

const shown = (aggregate: StreamAggregate, limits: RetentionLimits, now: number): object => {
  const { streamId, state } = aggregate.stream;
  if (state === 'EXPIRED') return { streamId, until: null, latest: null };
  const isOpen = state === 'READY' && aggregate.keptUntil === undefined;
  return {
    streamId,
    until: isOpen ? null : new Date(expiryOf(aggregate, limits, now)).toISOString(),
    latest: new Date(latestExpiryOf(aggregate, limits, now)).toISOString(),
  };
};
