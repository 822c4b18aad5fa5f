import { relabelStream } from '../../commands/changeOwnStream.ts';
import type { CommandDeps } from '../../commands/handle.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import { changedLabels, labelKey, labelsOf } from '../../domain/stream/labels.ts';
import type { Shape } from '../../json.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { type StreamDocument, streamsProjection } from '../../projections/streams.ts';
import * as s from '../../schema.ts';
import type { FindOptions } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import { behindHead } from '../answers/consistency.ts';
import { loaded } from '../answers/readPage.ts';
import { EXAMPLE_STREAM } from '../openapi/pathParameters.ts';
import { commandContext } from '../server/commandContext.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../server/route.ts';
import { type FilterDeps, LIBRARY_FILTER, whereOf } from './streamFilter.ts';

export interface LabelDeps extends CommandDeps, FilterDeps {
  readonly readModels: ReadModels;
}

/** Most streams of one bulk change. */
export const MOST_CHANGED = 10_000;
/** Streams that a bulk change changes side by side. */
const TOGETHER = 16;

const TEXTS = { type: ['array', 'null'], items: { type: 'string', maxLength: 255 }, maxItems: 1_000 } as const;

/** Which streams a bulk change concerns: those of a filter, or those listed. */
export const SELECTION_MEMBERS = {
  filter: LIBRARY_FILTER,
  streams: {
    type: ['array', 'null'],
    items: { type: 'string', format: 'uuid' },
    maxItems: MOST_CHANGED,
    description: 'Ids of your streams, instead of a filter.',
  },
} as const;

const BODY = {
  title: 'StreamLabelsDraft',
  type: 'object',
  additionalProperties: false,
  properties: {
    ...SELECTION_MEMBERS,
    add: { ...TEXTS, description: 'Labels that the streams get.' },
    remove: { ...TEXTS, description: 'Labels that the streams lose.' },
  },
} as const;

export const BULK_CHANGED = s.named(
  'StreamsChanged',
  s.resource({
    matched: s.described(s.count, 'Streams that were selected.'),
    changed: s.described(s.count, 'Streams that were not like this before.'),
  }),
);

/** `/stream-service/api/v1/labels`, and labels of many streams at once. */
export const labelRoutes = (deps: LabelDeps): Route[] => [
  defineRoute({
    operationId: 'findLabels',
    tag: 'Streams',
    method: 'GET',
    path: '/stream-service/api/v1/labels',
    summary: 'Your labels, most used first.',
    description: 'Each with the number of your streams that have it.',
    access: 'authenticated',
    reads: ['streams'],
    responses: { 200: { description: 'The labels.', schema: s.list(s.named('Label', s.resource({ label: s.text, streams: s.count }))) } },
    handle: async ({ caller }) => ({ status: 200, body: await labelCounts(deps.readModels, caller.subject) }),
  }),
  defineRoute({
    operationId: 'labelStreams',
    tag: 'Streams',
    method: 'POST',
    path: '/stream-service/api/v1/streams/labels',
    summary: 'Adds and removes labels of many streams.',
    description: `Applies to your own streams only, at most ${MOST_CHANGED} at once. If one of them would have more than 20 labels, none is changed.`,
    access: 'authenticated',
    body: {
      kind: 'json',
      schema: BODY,
      examples: {
        filter: { summary: 'All streams of March', value: { filter: { since: '2026-03-01', until: '2026-04-01' }, add: ['march'] } },
        streams: { summary: 'Two streams', value: { streams: [EXAMPLE_STREAM], remove: ['draft'] } },
      },
    },
    responses: {
      200: { description: 'How many streams were found and changed.', schema: BULK_CHANGED },
      404: { description: 'One of the listed streams is not yours.' },
    },
    handle: (request) => relabeled(deps, request),
  }),
];

/** Spelled as the user first wrote them. Labels compare without case. */
export const spellLabels = async (
  { log, readModels }: Pick<LabelDeps, 'log' | 'readModels'>,
  creatorId: string,
  labels: readonly string[],
): Promise<string[]> => {
  if (labels.length === 0) return [];
  await behindHead({ log, readModels }, [streamsProjection.name]);
  return Promise.all(
    labels.map(async (label) => {
      const key = labelKey(label);
      const orderBy = [{ member: 'createdTimestamp', direction: 'asc' }] as const;
      const [first] = await readModels.find(streamsProjection, { where: { creatorId, labelKeys: { all: [key] } }, orderBy, limit: 1 });
      return first?.stream.labels.find((known) => labelKey(known) === key) ?? label;
    }),
  );
};

const labelCounts = async (readModels: ReadModels, creatorId: string): Promise<{ label: string; streams: number }[]> => {
  const counts = new Map<string, { label: string; streams: number }>();
  const labeled = await readModels.findIds(streamsProjection, {
    where: { creatorId, labelKeys: { from: '' } },
    orderBy: [{ member: 'createdTimestamp', direction: 'asc' }],
    limit: Number.MAX_SAFE_INTEGER,
  });
  for await (const { stream } of loaded(labeled, (ids) => readModels.getMany(streamsProjection, ids)))
    for (const label of stream.labels) {
      const count = counts.get(labelKey(label)) ?? { label, streams: 0 };
      counts.set(labelKey(label), { ...count, streams: count.streams + 1 });
    }
  return [...counts.values()].sort((a, b) => b.streams - a.streams || (a.label < b.label ? -1 : 1));
};

type Selection = Pick<Shape<typeof BODY>, 'filter' | 'streams'>;

/** The caller's streams of a bulk change. Throws 400 for a wrong or too large selection, and 404 for a listed stream of someone else. */
export const selectedStreams = async (
  { log, readModels, templates }: Pick<LabelDeps, 'log' | 'readModels' | 'templates'>,
  { filter, streams }: Selection,
  creatorId: string,
): Promise<StreamDocument[]> => {
  if ((filter == null) === (streams == null)) throw new Problem('GENERAL_VALIDATION_ERROR', 'Give either `filter` or `streams`.');
  await behindHead({ log, readModels }, [streamsProjection.name]);
  const ids = streams
    ? [...new Set(streams.map((id) => id.toLowerCase()))]
    : await matchingIds(readModels, await whereOf({ templates }, creatorId, filter ?? {}));
  const documents = await readModels.getMany(streamsProjection, ids);
  const own = documents.filter((document) => document.creatorId === creatorId);
  if (streams && own.length < ids.length) throw notFound('stream');
  return own;
};

const matchingIds = async (readModels: ReadModels, where: NonNullable<FindOptions['where']>): Promise<string[]> => {
  const ids = await readModels.findIds(streamsProjection, { where, limit: MOST_CHANGED + 1 });
  if (ids.length <= MOST_CHANGED) return ids;
  throw new Problem(
    'GENERAL_VALIDATION_ERROR',
    `The filter matches more than ${MOST_CHANGED} streams. Narrow it, for example by since and until.`,
  );
};

/** Changes the streams some at a time, and counts those that changed. Returns the position of the last change. */
export const changeEach = async (
  streams: readonly StreamDocument[],
  change: (stream: StreamDocument) => Promise<Position | null>,
): Promise<{ changed: number; position: Position | null }> => {
  let changed = 0;
  let last: Position | null = null;
  for (let n = 0; n < streams.length; n += TOGETHER)
    for (const position of await Promise.all(streams.slice(n, n + TOGETHER).map(change))) {
      if (position === null) continue;
      changed += 1;
      if (last === null || position > last) last = position;
    }
  return { changed, position: last };
};

const relabeled = async (deps: LabelDeps, request: ApiRequest<unknown, unknown, Shape<typeof BODY>>): Promise<ApiResponse> => {
  const { body, caller } = request;
  const [add, remove] = [labelsOf(body.add ?? []), labelsOf(body.remove ?? [])];
  if (add.length + remove.length === 0) throw new Problem('GENERAL_VALIDATION_ERROR', 'Name labels in `add` or `remove`.');
  const streams = await selectedStreams(deps, body, caller.subject);
  for (const { stream } of streams) changedLabels(stream.labels, add, remove);
  const spelled = await spellLabels(deps, caller.subject, add);
  const context = commandContext(request);
  const { changed, position } = await changeEach(
    streams,
    async ({ streamId }) => (await relabelStream(deps, { streamId, caller, add: spelled, remove }, context)).position,
  );
  return { status: 200, body: { matched: streams.length, changed }, consistency: { position, projections: [streamsProjection.name] } };
};
