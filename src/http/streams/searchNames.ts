import type { ReadModels } from '../../projections/readModels.ts';
import { streamsProjection } from '../../projections/streams.ts';
import type { FindOptions } from '../../stores/documents.ts';
import { inBatches } from '../../stores/inBatches.ts';
import { Serial } from '../../stores/serial.ts';
import { ownTurn } from '../../supervision/ownTurn.ts';
import type { PageRequest } from '../answers/page.ts';

/** Most streams that one search reads: no store has an index of substrings. */
export const MOST_SEARCHED = 2_000;
const READ_AT_ONCE = 20;

/** Searches of one owner run one at a time. */
const searching = new Serial();

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
export const searchNames = async (readModels: ReadModels, wanted: Search, page: PageRequest): Promise<{ ids: string[]; total: number }> =>
  searching.run(String(wanted.where.creatorId), () => search(readModels, wanted, page));

const search = async (
  readModels: ReadModels,
  { where, nameContains, signal }: Search,
  { page, size }: PageRequest,
): Promise<{ ids: string[]; total: number }> => {
  signal.throwIfAborted();
  const wanted = nameContains.toLowerCase();
  const orderBy = [{ member: 'createdTimestamp', direction: 'desc' }] as const;
  const ids: string[] = [];
  let total = 0;
  const newest = await readModels.findIds(streamsProjection, { where, orderBy, limit: MOST_SEARCHED });
  for await (const found of inBatches(newest, READ_AT_ONCE, (some) => readModels.getMany(streamsProjection, some))) {
    for (const { name, streamId } of found) {
      if (!name?.toLowerCase().includes(wanted)) continue;
      if (total >= page * size && ids.length < size) ids.push(streamId);
      total += 1;
    }
    await ownTurn();
    signal.throwIfAborted();
  }
  return { ids, total };
};
