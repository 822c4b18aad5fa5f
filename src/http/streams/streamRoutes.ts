import { createHash } from 'node:crypto';
import { cancelStream, describeStream, type StreamChanged } from '../../commands/changeOwnStream.ts';
import type { MeasureDeps } from '../../commands/measureRuns.ts';
import type { TemplateLibrary } from '../../commands/templateLibrary.ts';
import type { Caller } from '../../domain/credentials/caller.ts';
import { timeOf } from '../../domain/parseTime.ts';
import { Problem } from '../../domain/problem.ts';
import { labelKey, labelsOf } from '../../domain/stream/labels.ts';
import { streamComponents } from '../../domain/stream/streamComponents.ts';
import type { Shape } from '../../json.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { streamsProjection } from '../../projections/streams.ts';
import * as s from '../../schema.ts';
import type { FindOptions } from '../../stores/documents.ts';
import { listParameters, pageAround } from '../answers/page.ts';
import { loaded, readPageIds } from '../answers/readPage.ts';
import { distinct } from '../input/parameters.ts';
import { commandContext, requestedSubject } from '../route/commandContext.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type QueryParameters, type QueryValues, type Route } from '../route/route.ts';
import { spellLabels } from './labelRoutes.ts';
import { listedStream, STREAM_PAGE } from './listedStream.ts';
import { MOST_SEARCHED, searchNames } from './searchNames.ts';
import { shownStreamJson, shownStreams } from './shownStreams.ts';
import { ATTEMPT_PARAMETER, createdWithin, ofAttempt, SHOW_STREAMS, visibleStream } from './streamLookup.ts';
import { STREAM_COMPONENTS_SCHEMA, STREAM_SCHEMA, STREAM_STATE } from './streamSchemas.ts';

export interface StreamRouteDeps extends MeasureDeps {
  readonly readModels: ReadModels;
  readonly templates: Pick<TemplateLibrary, 'idOf'>;
}

const STREAMS = '/stream-service/api/v1/streams';
const TAG = 'Streams';

/** Entity tag of exactly this answer. */
const etagOf = (json: string): string => `"${createHash('sha256').update(json).digest('base64url').slice(0, 27)}"`;

const TIME = { type: 'string', maxLength: 64, examples: ['2026-03-01T00:00:00Z'] } as const;

const LIST_PARAMETERS = {
  state: { schema: STREAM_STATE, list: 'repeat', description: 'Only streams in one of these states.' },
  group: { schema: { type: 'string' }, isId: true, description: 'Only streams of this group.' },
  name: { schema: { type: 'string' }, description: 'Only streams of exactly this name.' },
  nameContains: {
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    description: `Only streams whose name contains this text, in upper or lower case. Searches the newest ${MOST_SEARCHED} streams that match the other filters; use \`since\` and \`until\` to search earlier ones.`,
  },
  label: {
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    list: 'repeat',
    description: 'Only streams with this label, without regard to case. Repeat it for streams with all of several labels.',
  },
  streamConfigurationTemplateId: {
    schema: { type: 'string', maxLength: 255 },
    description: 'Only streams that use this template, by its id or name.',
  },
  since: { schema: TIME, description: 'Only streams created at this time or later. ISO 8601; UTC without an offset.' },
  until: { schema: TIME, description: 'Only streams created at this time or earlier. ISO 8601; UTC without an offset.' },
  subject: {
    schema: { type: 'string' },
    isId: true,
    description: 'Owner of the streams. Default: the caller. Only admins may name another.',
  },
  ...listParameters('createdTimestamp,desc'),
} as const satisfies QueryParameters;

type ListQuery = QueryValues<typeof LIST_PARAMETERS>;
type OfStream = ApiRequest<{ readonly streamId: string }>;

/** Finds, lists, renames, labels and cancels streams. */
export const streamRoutes = (deps: StreamRouteDeps): Route[] => [
  defineRoute({
    operationId: 'findStream',
    tag: TAG,
    method: 'GET',
    path: `${STREAMS}/{streamId}`,
    summary: 'One stream.',
    description: 'Poll until the state is COMPLETED or FAILED, or use a webhook. EXPIRED streams keep their events but not their data.',
    access: 'authenticated',
    reads: ['streams'],
    alwaysFresh: true,
    responses: { 200: { description: 'The stream, with an ETag of its state.', schema: STREAM_SCHEMA, headers: ['ETag'] } },
    handle: async ({ params, caller }) => {
      const document = await visibleStream(deps.readModels, params.streamId, caller);
      const json = await shownStreamJson(deps.log, document.stream);
      return { status: 200, ...json, headers: { ETag: etagOf(json.body) } };
    },
  }),
  defineRoute({
    operationId: 'findStreams',
    tag: TAG,
    method: 'GET',
    path: STREAMS,
    summary: "The caller's streams, newest first.",
    description: 'Returns an empty page if nothing matches.',
    access: 'authenticated',
    reads: ['streams'],
    query: LIST_PARAMETERS,
    responses: {
      200: { description: 'A page of streams, each with the length of its audio, its cost, and advice if it failed.', schema: STREAM_PAGE },
    },
    handle: (request) => listed(deps, request),
  }),
  defineRoute({
    operationId: 'findStreamComponents',
    tag: TAG,
    method: 'GET',
    path: `${STREAMS}/{streamId}/components`,
    summary: "Returns the state of a stream's gateway and processors.",
    description: 'The state of the gateway and of each processor, with its description.',
    access: 'authenticated',
    reads: ['streams'],
    alwaysFresh: true,
    query: { attempt: ATTEMPT_PARAMETER },
    responses: { 200: { description: 'The components.', schema: STREAM_COMPONENTS_SCHEMA } },
    handle: async ({ params, caller, query }) => {
      const document = await visibleStream(deps.readModels, params.streamId, caller);
      return { status: 200, body: streamComponents(ofAttempt(document, query.attempt)) };
    },
  }),
  defineRoute({
    operationId: 'renameStream',
    tag: TAG,
    method: 'PATCH',
    path: `${STREAMS}/{streamId}`,
    summary: 'Renames or labels a stream. For its owner or an admin.',
    description:
      'Works in every state. `labels` replaces all labels; absent members stay. Former names and labels stay in the log. Sends no webhook.',
    access: 'authenticated',
    body: { kind: 'json', schema: DESCRIPTION_BODY, examples: DESCRIPTION_EXAMPLES },
    responses: { 200: { description: 'The changed stream.', schema: STREAM_SCHEMA } },
    handle: (request) => described(deps, request),
  }),
  defineRoute({
    operationId: 'cancelStream',
    allowedOnFullDisk: true,
    tag: TAG,
    method: 'PUT',
    path: `${STREAMS}/{streamId}/cancel`,
    summary: 'Cancels a stream. For its owner, a gateway or an admin.',
    description:
      'Aborts running processors. The stream becomes FAILED with `Canceled by user`. A stream that is already FAILED is returned unchanged.',
    access: 'authenticated',
    responses: {
      200: { description: 'The stream, FAILED.', schema: STREAM_SCHEMA },
      409: { description: 'The stream is COMPLETED or EXPIRED.' },
    },
    handle: (request) => canceled(deps, request),
  }),
];

const listed = async ({ readModels, log, templates }: StreamRouteDeps, request: ApiRequest<unknown, ListQuery>): Promise<ApiResponse> => {
  const { caller, query } = request;
  const template = query.streamConfigurationTemplateId;
  const where = selectionOf(
    caller,
    template === undefined
      ? query
      : { ...query, streamConfigurationTemplateId: await templates.idOf(query.subject ?? caller.subject, template) },
  );
  const { nameContains } = query;
  const { ids, total } =
    nameContains === undefined
      ? await readPageIds(readModels, streamsProjection, { where, newestBy: 'createdTimestamp' }, query)
      : await searchNames(readModels, { where, nameContains, signal: request.signal }, query);
  const load = async (some: readonly string[]) => {
    const documents = await readModels.getMany(streamsProjection, some);
    const streams = await shownStreams(
      log,
      documents.map(({ stream }) => stream),
    );
    return streams.flatMap((stream, n) => (documents[n] ? [listedStream(stream, documents[n])] : []));
  };
  return { status: 200, body: pageAround(loaded(ids, load), { totalElements: total, numberOfElements: ids.length }, query) };
};

const selectionOf = (caller: Caller, query: ListQuery): NonNullable<FindOptions['where']> => {
  const { subject, group, name, streamConfigurationTemplateId, since, until } = query;
  const creatorId = requestedSubject(caller, subject, "Only an admin may list another's streams.");
  const states = distinct(query.state);
  const labels = distinct(query.label);
  return {
    creatorId,
    ...(states.length > 0 && { state: states }),
    ...(group !== undefined && { groupId: group }),
    ...(name !== undefined && { name }),
    ...(labels.length > 0 && { labelKeys: { all: labels.map((label) => labelKey(label.trim())) } }),
    ...(streamConfigurationTemplateId !== undefined && { streamConfigurationTemplateId }),
    ...createdWithin(since === undefined ? null : timeOf(since, 'since'), until === undefined ? null : timeOf(until, 'until')),
  };
};

const DESCRIPTION_BODY = s.named(
  'StreamDescription',
  s.object({}, { name: s.textUpTo(255), labels: { type: 'array', items: { type: 'string', maxLength: 255 }, maxItems: 1_000 } as const }),
);
const DESCRIPTION_EXAMPLES = {
  name: { summary: 'A new name', value: { name: 'Monday call' } },
  labels: { summary: 'Other labels', value: { labels: ['sales', 'Berlin'] } },
};

const described = async (
  deps: StreamRouteDeps,
  request: ApiRequest<{ readonly streamId: string }, unknown, Shape<typeof DESCRIPTION_BODY>>,
): Promise<ApiResponse> => {
  const { params, body, caller } = request;
  const { streamId } = params;
  const { name, labels } = body;
  if (name === undefined && labels === undefined)
    throw new Problem('GENERAL_VALIDATION_ERROR', 'The body changes nothing. Give it `name`, `labels` or both.');
  const wanted = {
    streamId,
    caller,
    ...(name !== undefined && { name }),
    ...(labels !== undefined && (await spelled(deps, streamId, caller, labels))),
  };
  return answerOf(deps, await describeStream(deps, wanted, commandContext(request)), ['streams']);
};

const spelled = async (
  deps: StreamRouteDeps,
  streamId: string,
  caller: Caller,
  given: readonly string[],
): Promise<{ labels: string[] }> => {
  const labels = labelsOf(given);
  const { creatorId } = await visibleStream(deps.readModels, streamId, caller);
  return { labels: await spellLabels(deps, creatorId, labels) };
};

const canceled = async (deps: StreamRouteDeps, request: OfStream): Promise<ApiResponse> => {
  const { streamId } = request.params;
  return answerOf(deps, await cancelStream(deps, { streamId, caller: request.caller }, commandContext(request)), SHOW_STREAMS);
};

/** The changed stream. `projections`: the read models that show the change. */
const answerOf = async (
  { log }: StreamRouteDeps,
  { aggregate, position }: StreamChanged,
  projections: readonly string[],
): Promise<ApiResponse> => {
  return { status: 200, ...(await shownStreamJson(log, aggregate.stream)), consistency: { position, projections } };
};
