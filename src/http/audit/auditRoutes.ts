import { setImmediate } from 'node:timers/promises';
import { boundedEvents, eventQuery, readEvent, readEvents, type ShownEvent } from '../../audit/eventReading.ts';
import { momentOf } from '../../audit/pointInTime.ts';
import { shownVerdict } from '../../audit/shownVerdict.ts';
import { shownStateAt } from '../../audit/soundStates.ts';
import { isoTime } from '../../clock.ts';
import { type EraseDeps, eraseSubject } from '../../commands/eraseSubject.ts';
import type { TranscriptDeps } from '../../commands/transcript/readTranscript.ts';
import { notFound } from '../../domain/problem.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import type { Position } from '../../stores/eventStore.ts';
import { exportSeals, newestSeal, type VerifyDeps, verifyEventStream, verifyStore } from '../../stores/integrity/verifyStore.ts';
import { unlessGone } from '../answers/unlessGone.ts';
import { distinct } from '../input/parameters.ts';
import { invalid } from '../input/schemas.ts';
import { isUuid } from '../input/uuid.ts';
import { commandContext } from '../route/commandContext.ts';
import { EXAMPLE_STREAM } from '../route/pathParameters.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type QueryValues, type Route } from '../route/route.ts';
import { actorsOf } from './actors.ts';
import {
  AUDIT_EVENT_SCHEMA,
  AUDIT_PAGE_SCHEMA,
  ERASURE_SCHEMA,
  EVENT_PARAMETERS,
  EVENT_STREAM_STATE_SCHEMA,
  SEAL_LINE_SCHEMA,
  SINGLE_AUDIT_EVENT_SCHEMA,
  VERDICT_SCHEMA,
} from './auditSchemas.ts';
import { correctionsOf } from './corrections.ts';
import { eventTypesRoute } from './eventTypes.ts';
import { followEvents } from './followEvents.ts';

export type AuditRouteDeps = VerifyDeps & EraseDeps & TranscriptDeps & { readonly readModels: ReadModels };

const BASE = '/audit-service/api/v1';
const TAG = 'Audit';
const READERS = ['auditor', 'admin'] as const;
const NDJSON = 'application/x-ndjson';
const DEFAULT_SIZE = 100;
const EVENT_STREAM_NAME = {
  description: 'Name of the event stream, such as `stream-` and the id of a stream.',
  schema: { type: 'string' },
  example: `stream-${EXAMPLE_STREAM}`,
};

/** The log for auditors (`docs/audit.md`). Reads come from the log itself and do not wait for read models. */
export const auditRoutes = (deps: AuditRouteDeps): Route[] => [
  defineRoute({
    operationId: 'findEvents',
    tag: TAG,
    method: 'GET',
    path: `${BASE}/events`,
    summary: 'Lists the events of the log, newest first by default. As NDJSON, streams all of them.',
    description: 'To page, send the `next` of a page as `after`. Every read is recorded in the log.',
    access: READERS,
    reads: [],
    query: EVENT_PARAMETERS,
    responses: {
      200: {
        description:
          '`next` is the `after` of the next page, null on the last one. With `Accept: application/x-ndjson`, one event per line.',
        schema: AUDIT_PAGE_SCHEMA,
        alternatives: { 'application/x-ndjson': AUDIT_EVENT_SCHEMA },
      },
    },
    handle: (request) => events(deps, request),
  }),
  defineRoute({
    operationId: 'findEvent',
    tag: TAG,
    method: 'GET',
    path: `${BASE}/events/{eventId}`,
    summary: 'One event.',
    description: 'Every read is recorded in the log.',
    access: READERS,
    reads: [],
    responses: { 200: { description: 'The event, with the credential that caused it.', schema: SINGLE_AUDIT_EVENT_SCHEMA } },
    handle: (request) => oneEvent(deps, request),
  }),
  defineRoute({
    operationId: 'findEventStreamState',
    tag: TAG,
    method: 'GET',
    path: `${BASE}/event-streams/{name}`,
    summary: 'Returns the state of an event stream at a revision or a time.',
    description: 'Folds every event up to that point. Erased personal members read as null.',
    access: READERS,
    reads: [],
    params: { name: EVENT_STREAM_NAME },
    query: {
      asOf: { schema: { type: 'string', maxLength: 64 }, description: 'A revision (from 0) or an ISO 8601 time, inclusive. Default: now.' },
      compareWith: {
        schema: { type: 'string', maxLength: 64 },
        description: 'A second moment. `difference` is the JSON Patch (RFC 6902) from `state` to the state at that moment.',
      },
    },
    responses: {
      200: {
        description: 'The state at that point. Personal members that are `null` have been erased.',
        schema: EVENT_STREAM_STATE_SCHEMA,
      },
      409: { description: 'The event stream is damaged and cannot be folded. `verify` says where.' },
    },
    handle: (request) => eventStreamState(deps, request),
  }),
  eventTypesRoute({ tag: TAG, access: READERS, reads: [] }, `${BASE}/event-types`),
  defineRoute({
    operationId: 'exportSeals',
    tag: TAG,
    method: 'GET',
    path: `${BASE}/seals`,
    summary: 'Exports the public keys and all seals, to verify a copy of the log elsewhere.',
    description:
      'Export the seals before the log. `tributary audit verify --file log.ndjson --seals seals.ndjson` checks both without the server.',
    access: READERS,
    reads: [],
    responses: { 200: { description: 'NDJSON.', schema: SEAL_LINE_SCHEMA, contentType: NDJSON } },
    handle: async (request) => {
      await recorded(deps, request, 'seals', {});
      return { status: 200, contentType: NDJSON, chunks: await begun(jsonLines(exportSeals(deps))) };
    },
  }),
  defineRoute({
    operationId: 'verifyLog',
    tag: TAG,
    method: 'GET',
    path: `${BASE}/verify`,
    summary: 'Verifies the hash chains and seals of the whole log or of one event stream.',
    description: 'Hashes every event again, so a long log takes a while.',
    access: READERS,
    reads: [],
    query: { eventStream: { schema: { type: 'string', maxLength: 512 }, description: 'Verify only this event stream.' } },
    responses: {
      200: { description: 'The result, also when something is broken.', schema: VERDICT_SCHEMA },
      404: { description: 'No such event stream.' },
    },
    handle: (request) => unlessGone(request, () => verified(deps, request)),
  }),
  defineRoute({
    operationId: 'eraseSubject',
    tag: TAG,
    method: 'DELETE',
    path: `${BASE}/subjects/{subject}`,
    summary: 'Erases a person: destroys their keys, credentials, documents and bytes. The log still verifies.',
    description: 'Cancels their running streams, drops their pending deliveries and revokes their credentials. This cannot be undone.',
    access: ['admin'],
    responses: { 200: { description: 'Report of what was destroyed. A second call returns zeros.', schema: ERASURE_SCHEMA } },
    handle: async (request) => ({ status: 200, body: await eraseSubject(deps, request.params.subject, commandContext(request)) }),
  }),
];

type EventsQuery = QueryValues<typeof EVENT_PARAMETERS>;

/** Recorded before anything is read, so that every read is recorded. Returns the head before the record, so that a read does not show itself. */
const recorded = async (
  { log, trail }: AuditRouteDeps,
  request: Pick<ApiRequest, 'caller' | 'correlationId'>,
  operation: string,
  parameters: Readonly<Record<string, unknown>>,
): Promise<Position | null> => {
  const head = await log.head();
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const data = { operation, parameters: Object.fromEntries(given.map(([name, value]) => [name, String(value)])) };
  await trail.record({ type: 'LogRead', data }, commandContext(request));
  return head;
};

const events = async (deps: AuditRouteDeps, request: ApiRequest<unknown, EventsQuery>): Promise<ApiResponse> => {
  const streamed = request.incoming.accepts(['application/json', NDJSON]) === NDJSON;
  const { size = streamed ? null : DEFAULT_SIZE, follow: follows = false, exclude, ...parameters } = request.query;
  const query = eventQuery({ ...parameters, exclude: distinct(exclude) }, size);
  if (follows && !streamed) throw invalid('follow', 'needs `Accept: application/x-ndjson`', 'query');
  const head = await recorded(deps, request, 'events', request.query);
  if (follows) {
    const pages = positionsChecked(followEvents(deps, { ...query, after: query.after ?? (await deps.log.head()) }, request.signal));
    // Prevents buffering by proxies.
    return { status: 200, contentType: NDJSON, headers: { 'X-Accel-Buffering': 'no' }, chunks: lines(pages) };
  }
  const pages = positionsChecked(readEvents(deps.log, query, head));
  if (streamed) return { status: 200, contentType: NDJSON, chunks: await begun(lines(pages)) };
  const { content, cut } = await boundedEvents(pages);
  const next = cut || content.length === query.limit ? (content.at(-1)?.position ?? null) : null;
  return { status: 200, body: { content, next, actors: query.form === 'stored' ? [] : await actorsOf(deps.readModels, content) } };
};

/** An unknown position is the caller's mistake. */
async function* positionsChecked(pages: AsyncIterable<ShownEvent[]>): AsyncGenerator<ShownEvent[], void, undefined> {
  try {
    yield* pages;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw invalid('after', 'is not a position of this log', 'query');
  }
}

async function* lines(pages: AsyncIterable<readonly ShownEvent[]>): AsyncGenerator<string, void, undefined> {
  for await (const page of pages) yield page.map((event) => `${JSON.stringify(event)}\n`).join('');
}

async function* jsonLines(items: AsyncIterable<object>): AsyncGenerator<string, void, undefined> {
  for await (const item of items) yield `${JSON.stringify(item)}\n`;
}

/** The first chunk is made before the answer begins, so that an error can still be answered. */
const begun = async (chunks: AsyncGenerator<string, void, undefined>): Promise<AsyncIterable<string>> => {
  const first = await chunks.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* chunks;
  })();
};

const oneEvent = async (deps: AuditRouteDeps, request: ApiRequest<{ readonly eventId: string }>): Promise<ApiResponse> => {
  const { eventId: id } = request.params;
  const head = await recorded(deps, request, 'event', { id: id.slice(0, 200) });
  if (!isUuid(id)) throw notFound('event');
  const event = await readEvent(deps.log, id, head);
  const actors = await actorsOf(deps.readModels, [event]);
  return { status: 200, body: { ...event, actors, corrections: await correctionsOf(deps, event) } };
};

const eventStreamState = async (
  deps: AuditRouteDeps,
  request: ApiRequest<{ readonly name: string }, { readonly asOf?: string; readonly compareWith?: string }>,
): Promise<ApiResponse> => {
  const { name: eventStream } = request.params;
  const { asOf, compareWith } = request.query;
  const moments = [momentOf(asOf, 'asOf'), ...(compareWith === undefined ? [] : [momentOf(compareWith, 'compareWith')])];
  await recorded(deps, request, 'event-stream', { eventStream: eventStream.slice(0, 512), asOf, compareWith });
  return { status: 200, body: await shownStateAt(deps, eventStream, moments, asOf) };
};

const verified = async (deps: AuditRouteDeps, request: ApiRequest<unknown, { readonly eventStream?: string }>): Promise<ApiResponse> => {
  const { eventStream } = request.query;
  const verifiedTimestamp = isoTime(deps.clock.now());
  const head = await recorded(deps, request, 'verify', { eventStream });
  const seal = await newestSeal(deps.store);
  const { signal } = request;
  // Stops hashing when the caller leaves.
  const pause = async (): Promise<void> => {
    signal.throwIfAborted();
    await setImmediate();
  };
  const verdict = await (eventStream === undefined ? verifyStore(deps, undefined, pause) : verifyEventStream(deps, eventStream, pause));
  if (!verdict) throw notFound('event stream');
  return { status: 200, body: { ...shownVerdict(verdict), verifiedTimestamp, head, seal } };
};
