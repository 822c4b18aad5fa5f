import type { ReadModels } from '../../projections/readModels.ts';
import { streamsProjection } from '../../projections/streams.ts';
import type { FindOptions } from '../../stores/documents.ts';
import type { PageRequest } from '../answers/page.ts';
import { loaded } from '../answers/readPage.ts';

/** Most streams that one search reads: no store has an index of substrings. */
export const MOST_SEARCHED = 2_000;

interface Search {
  readonly where: NonNullable<FindOptions['where']>;
  readonly nameContains: string;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/**
 * Ids of a page of the streams among the newest `MOST_SEARCHED` of `where` whose name contains the text in any case, and their total number. Rejects
 * when the signal aborts: otherwise one user could leave hours of searches behind.
 */
export const searchNames = async (
  readModels: ReadModels,
  { where, nameContains, signal }: Search,
  { page, size }: PageRequest,
): Promise<{ ids: string[]; total: number }> => {
  const wanted = nameContains.toLowerCase();
  const orderBy = [{ member: 'createdTimestamp', direction: 'desc' }] as const;
  const ids: string[] = [];
  let total = 0;
  const newest = await readModels.findIds(streamsProjection, { where, orderBy, limit: MOST_SEARCHED });
  for await (const { name, streamId } of loaded(newest, (some) => readModels.getMany(streamsProjection, some))) {
    signal.throwIfAborted();
    if (!name?.toLowerCase().includes(wanted)) continue;
    if (total >= page * size && ids.length < size) ids.push(streamId);
    total += 1;
  }
  return { ids, total };
};
