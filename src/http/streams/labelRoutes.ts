import { relabelStream } from '../../commands/changeOwnStream.ts';
import type { CommandDeps } from '../../commands/handle.ts';
import { Problem } from '../../domain/problem.ts';
import { changedLabels, distinctLabels, labelKey, labelsOf } from '../../domain/stream/labels.ts';
import type { Shape } from '../../json.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { streamsProjection } from '../../projections/streams.ts';
import * as s from '../../schema.ts';
import { behindHead } from '../answers/consistency.ts';
import { loaded } from '../answers/readPage.ts';
import { commandContext } from '../route/commandContext.ts';
import { EXAMPLE_STREAM } from '../route/pathParameters.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../route/route.ts';
import { BULK_CHANGED, changeEach, MOST_CHANGED, SELECTION_MEMBERS, selectedStreams } from './bulkChanges.ts';
import type { FilterDeps } from './streamFilter.ts';

export interface LabelDeps extends CommandDeps, FilterDeps {
  readonly readModels: ReadModels;
}

const TEXTS = { type: ['array', 'null'], items: { type: 'string', maxLength: 255 }, maxItems: 1_000 } as const;

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

const relabeled = async (deps: LabelDeps, request: ApiRequest<unknown, unknown, Shape<typeof BODY>>): Promise<ApiResponse> => {
  const { body, caller } = request;
  const [add, remove] = [labelsOf(body.add ?? []), distinctLabels(body.remove ?? [])];
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
