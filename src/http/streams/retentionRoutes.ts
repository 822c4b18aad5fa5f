import { type KeepDeps, keepStream } from '../../commands/changeOwnStream.ts';
import { timeOf } from '../../domain/parseTime.ts';
import { Problem } from '../../domain/problem.ts';
import { expiryOf, keepStream as keepDecision, latestExpiryOf, type RetentionLimits } from '../../domain/stream/retention.ts';
import type { StreamAggregate } from '../../domain/stream/state.ts';
import type { Shape } from '../../json.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import * as s from '../../schema.ts';
import { commandContext } from '../route/commandContext.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../route/route.ts';
import { BULK_CHANGED, changeEach, MOST_CHANGED, SELECTION_MEMBERS, selectedStreams } from './bulkChanges.ts';
import type { FilterDeps } from './streamFilter.ts';
import { visibleStream } from './streamLookup.ts';

export interface RetentionRouteDeps extends KeepDeps, FilterDeps {
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
      'When the data are deleted. Live readers keep ephemeral data longer. Null if they are kept until someone deletes them, while the stream runs, unless its owner asked for a time, and once it has expired.',
    ),
    latest: s.described(
      s.nullable(s.time),
      'The latest time that the owner may ask for. Null without a bound, and once the stream has expired.',
    ),
  }),
);

const UNTIL = {
  type: ['string', 'null'],
  maxLength: 64,
  description: 'ISO 8601; UTC without an offset. Null: until you delete the stream.',
} as const;

const BODY = {
  title: 'StreamRetentionDraft',
  type: 'object',
  required: ['until'],
  additionalProperties: false,
  properties: { until: UNTIL },
} as const;

const BULK_BODY = {
  title: 'StreamsRetentionDraft',
  type: 'object',
  required: ['until'],
  additionalProperties: false,
  properties: { ...SELECTION_MEMBERS, until: UNTIL },
} as const;

const UNTIL_EXAMPLES = {
  later: { summary: 'A day', value: { until: '2030-03-01T00:00:00Z' } },
  never: { summary: 'Until someone deletes them', value: { until: null } },
};

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
    operationId: 'setStreamRetention',
    method: 'PUT',
    summary: 'Sets when the data of a stream are deleted. Only for its owner.',
    description: 'Up to `RETENTION_MAX_S` after the end of the stream, if the server has such a bound. Sends no webhook.',
    body: { kind: 'json', schema: BODY, examples: UNTIL_EXAMPLES },
    responses: {
      200: { description: 'The new retention.', schema: RETENTION },
      409: { description: 'The stream has expired, or expires within two seconds.' },
    },
    handle: (request) => retained(deps, request),
  }),
  defineRoute({
    operationId: 'setStreamsRetention',
    tag: 'Streams',
    method: 'PUT',
    path: '/stream-service/api/v1/streams/retention',
    summary: 'Sets when the data of many streams are deleted.',
    description: `Applies to your own streams only, at most ${MOST_CHANGED} at once. Streams that have expired stay as they are.`,
    access: 'authenticated',
    body: {
      kind: 'json',
      schema: BULK_BODY,
      examples: { label: { summary: 'Keep all streams with a label', value: { filter: { label: ['sales'] }, until: null } } },
    },
    responses: {
      200: { description: 'How many streams were found and changed.', schema: BULK_CHANGED },
      400: { description: 'The time has passed, or is beyond the bound of one of the streams.' },
      404: { description: 'One of the listed streams is not yours.' },
    },
    handle: (request) => allRetained(deps, request),
  }),
];

const timeIn = (until: string | null): number | null => (until === null ? null : Date.parse(timeOf(until, 'until')));

const retained = async (
  deps: RetentionRouteDeps,
  request: ApiRequest<{ readonly streamId: string }, unknown, Shape<typeof BODY>>,
): Promise<ApiResponse> => {
  const { streamId } = request.params;
  const until = timeIn(request.body.until);
  const { aggregate, position } = await keepStream(deps, { streamId, until, caller: request.caller }, commandContext(request));
  return { status: 200, body: shown(aggregate, deps.retention, deps.clock.now()), consistency: { position, projections: ['streams'] } };
};

const allRetained = async (
  deps: RetentionRouteDeps,
  request: ApiRequest<unknown, unknown, Shape<typeof BULK_BODY>>,
): Promise<ApiResponse> => {
  const { body, caller } = request;
  const until = timeIn(body.until);
  const limits = { until, now: deps.clock.now(), limits: deps.retention };
  const streams = await selectedStreams(deps, body, caller.subject);
  // If one is refused, none is changed.
  const kept = streams.filter((stream) => isKept(stream, limits));
  const context = commandContext(request);
  const { changed, position } = await changeEach(
    kept,
    async ({ streamId }) => (await keepStream(deps, { streamId, until, caller }, context).catch(unlessExpired))?.position ?? null,
  );
  return { status: 200, body: { matched: streams.length, changed }, consistency: { position, projections: ['streams'] } };
};

/** `false` for a stream that has expired, or is about to. Throws any other refusal. */
const isKept = (stream: StreamAggregate, wanted: Parameters<typeof keepDecision>[1]): boolean => {
  try {
    keepDecision(stream, wanted);
    return true;
  } catch (error) {
    unlessExpired(error);
    return false;
  }
};

const unlessExpired = (error: unknown): null => {
  if (error instanceof Problem && error.statusCode === 409) return null;
  throw error;
};

const shown = (aggregate: StreamAggregate, limits: RetentionLimits, now: number): object => {
  const { streamId, state } = aggregate.stream;
  if (state === 'EXPIRED') return { streamId, until: null, latest: null };
  const isOpen = state === 'READY' && aggregate.keptUntil === undefined && aggregate.retainedUntil === undefined;
  const timeShown = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());
  return {
    streamId,
    until: isOpen ? null : timeShown(expiryOf(aggregate, limits, now)),
    latest: timeShown(latestExpiryOf(aggregate, limits, now)),
  };
};
