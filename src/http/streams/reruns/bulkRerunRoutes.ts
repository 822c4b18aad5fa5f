import type { CommandDeps } from '../../../commands/handle.ts';
import { cancelBulkRerun, loadReruns, requestReruns } from '../../../commands/reruns/bulkReruns.ts';
import { MAX_WAITING_STREAMS, type Matches } from '../../../domain/reruns/decisions.ts';
import type { BulkRerun, BulkRerunFilter } from '../../../domain/reruns/state.ts';
import type { Shape } from '../../../json.ts';
import type { ReadModels } from '../../../projections/readModels.ts';
import { streamsProjection } from '../../../projections/streams.ts';
import type { FindOptions } from '../../../stores/documents.ts';
import { behindHead } from '../../answers/consistency.ts';
import { listParameters, type PageRequest, pageOf } from '../../answers/page.ts';
import { idempotencyKey } from '../../input/idempotencyKey.ts';
import { commandContext } from '../../route/commandContext.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../../route/route.ts';
import { conditionOf, emptyFilter, FILTER_MEMBERS, type FilterDeps, readFilter } from '../streamFilter.ts';
import { pageSchema } from '../streamSchemas.ts';
import { BULK_RERUN, BULK_RERUN_ACCEPTED, BULK_RERUN_BODY } from './bulkRerunSchemas.ts';

export interface BulkRerunRouteDeps extends CommandDeps, FilterDeps {
  readonly readModels: ReadModels;
}

const PATH = '/stream-service/api/v1/streams/rerun';
const SHARED = { tag: 'Streams', access: 'authenticated' } as const;
const MAX_BODY_BYTES = 65_536;
const SCOPE = 'Applies to your own streams only.';

/** `/stream-service/api/v1/streams/rerun`: many streams at once. */
export const bulkRerunRoutes = (deps: BulkRerunRouteDeps): Route[] => [
  defineRoute({
    ...SHARED,
    operationId: 'rerunStreams',
    method: 'POST',
    path: PATH,
    summary: 'Runs all ended streams that match a filter again.',
    description: `${SCOPE} \`started\` streams are queued: they start one after the other as your limit of concurrent streams allows, also after a restart of the server. It is smaller than \`matched\` if streams wait already or if more than ${MAX_WAITING_STREAMS} would wait; the oldest are queued first. With \`dryRun\` nothing is queued.`,
    headers: ['Idempotency-Key'],
    body: {
      kind: 'json',
      schema: BULK_RERUN_BODY,
      limitBytes: MAX_BODY_BYTES,
      examples: {
        failed: {
          summary: 'All streams of March that failed, from the language model',
          value: {
            filter: { state: 'FAILED', since: '2026-03-01T00:00:00Z', until: '2026-03-31T23:59:59Z' },
            from: 'llm',
            reason: 'The language model was away.',
            dryRun: true,
          },
        },
        error: {
          summary: 'Every stream whose transcription failed',
          value: { filter: { errorName: 'PROCESSOR_TRANSCRIPTION_ERROR' }, reason: 'The speech server was away.' },
        },
      },
    },
    responses: {
      202: { description: 'The reruns are queued.', schema: BULK_RERUN_ACCEPTED },
      409: { description: 'The key was used with another body.' },
      429: { description: 'Too many bulk reruns of this user are under way.' },
    },
    handle: (request) => requested(deps, request),
  }),
  defineRoute({
    ...SHARED,
    operationId: 'findBulkReruns',
    method: 'GET',
    path: PATH,
    summary: 'Lists your bulk reruns with their progress, newest first.',
    description: 'All that are under way, and the newest 1,000.',
    reads: [],
    query: listParameters('requestedTimestamp,desc'),
    responses: { 200: { description: 'A page of bulk reruns.', schema: pageSchema(BULK_RERUN) } },
    handle: (request) => listed(deps, request),
  }),
  defineRoute({
    ...SHARED,
    operationId: 'cancelBulkRerun',
    method: 'DELETE',
    path: `${PATH}/{requestId}`,
    summary: 'Stops a bulk rerun.',
    description: 'Streams that still wait are not started. Streams that have started continue. Idempotent: repeating it also returns 204.',
    params: {
      requestId: {
        description: 'The bulk rerun.',
        schema: { type: 'string', format: 'uuid' },
        example: '5d0c7a52-3f1b-4a86-9c1e-7b2f60d4e8a1',
      },
    },
    responses: { 204: { description: 'It has ended.' } },
    handle: (request) => canceled(deps, request),
  }),
];

type BulkRerunDraft = Shape<typeof BULK_RERUN_BODY>;

const requested = async (
  { log, readModels, templates }: BulkRerunRouteDeps,
  request: ApiRequest<unknown, unknown, BulkRerunDraft>,
): Promise<ApiResponse> => {
  const { filter: given, from = null, patches, reason = null, dryRun } = request.body;
  const filter = await readFilter({ templates }, request.caller.subject, given);
  if (Object.values(filter).every((value) => value === null)) throw emptyFilter(FILTER_MEMBERS);
  // Includes streams that have just ended, unless the read models are far behind.
  await behindHead({ log, readModels }, [streamsProjection.name]);
  const key = idempotencyKey(request.header('Idempotency-Key'));
  if (dryRun) {
    const matched = await countMatches(readModels, request.caller.subject, filter);
    return { status: 202, body: { matched, started: 0, requestId: null } };
  }
  const deps = { log, match: (subject: string, wanted: BulkRerunFilter) => matchStreams(readModels, subject, wanted) };
  const call = { filter, from, patches: patches ?? {}, reason, idempotencyKey: key };
  const { matched, queued, requestId } = await requestReruns(deps, call, commandContext(request));
  return { status: 202, body: { matched, started: queued, requestId } };
};

const listed = async ({ log }: BulkRerunRouteDeps, { caller, query: page }: ApiRequest<unknown, PageRequest>): Promise<ApiResponse> => {
  const { requests } = await loadReruns(log, caller.subject);
  const newestFirst = [...requests].reverse().slice(page.page * page.size, (page.page + 1) * page.size);
  return { status: 200, body: pageOf(newestFirst.map(shown), requests.length, page) };
};

const shown = ({ idempotency: _, correlationId: __, patches: ___, queued, waiting, ...request }: BulkRerun): object => ({
  ...request,
  queued,
  waiting: waiting.length,
});

const canceled = async (deps: BulkRerunRouteDeps, request: ApiRequest<{ readonly requestId: string }>): Promise<ApiResponse> => {
  const { requestId } = request.params;
  await cancelBulkRerun(deps, requestId, commandContext(request));
  return { status: 204 };
};

const whereOf = (creatorId: string, filter: BulkRerunFilter): NonNullable<FindOptions['where']> => ({
  creatorId,
  state: ['COMPLETED', 'FAILED'],
  ...conditionOf(filter),
});

/** Number of the user's ended streams that match the filter. */
const countMatches = (readModels: ReadModels, subject: string, filter: BulkRerunFilter): Promise<number> =>
  readModels.count(streamsProjection, whereOf(subject, filter));

/** Ids of the user's ended streams that match the filter, oldest first. */
const matchStreams = async (readModels: ReadModels, subject: string, filter: BulkRerunFilter): Promise<Matches> => {
  const total = await countMatches(readModels, subject, filter);
  // Ids only: a stream may take 2 MiB in memory.
  const streamIds = await readModels.findIds(streamsProjection, {
    where: whereOf(subject, filter),
    orderBy: [{ member: 'createdTimestamp', direction: 'asc' }],
    limit: MAX_WAITING_STREAMS,
  });
  return { total: Math.max(total, streamIds.length), streamIds };
};
