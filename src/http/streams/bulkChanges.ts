import { notFound, Problem } from '../../domain/problem.ts';
import type { Shape } from '../../json.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { type StreamDocument, streamsProjection } from '../../projections/streams.ts';
import * as s from '../../schema.ts';
import type { FindOptions } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { behindHead } from '../answers/consistency.ts';
import { later } from '../answers/ownWrites.ts';
import { type FilterDeps, LIBRARY_FILTER, whereOf } from './streamFilter.ts';

interface SelectionDeps extends FilterDeps {
  readonly log: EventLog;
  readonly readModels: ReadModels;
}

/** Most streams of one bulk change. */
export const MOST_CHANGED = 10_000;
/** Streams that a bulk change changes side by side. */
const TOGETHER = 16;

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

export const BULK_CHANGED = s.named(
  'StreamsChanged',
  s.resource({
    matched: s.described(s.count, 'Streams that were selected.'),
    changed: s.described(s.count, 'Streams that were not like this before.'),
  }),
);

type Selection = Shape<{ readonly type: 'object'; readonly properties: typeof SELECTION_MEMBERS }>;

/** The caller's streams of a bulk change. Throws 400 for a wrong or too large selection, and 404 for a listed stream of someone else. */
export const selectedStreams = async (
  { log, readModels, templates }: SelectionDeps,
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
      last = later(last, position);
    }
  return { changed, position: last };
};
