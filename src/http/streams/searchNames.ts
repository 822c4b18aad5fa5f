import type { ReadModels } from '../../projections/readModels.ts';
import { type StreamDocument, streamsProjection } from '../../projections/streams.ts';
import type { FindOptions } from '../../stores/documents.ts';
import { ownTurn } from '../answers/ownTurn.ts';
import type { PageRequest } from '../answers/page.ts';

/** Streams that one search reads at most: no store has an index of substrings. */
export const MOST_SEARCHED = 2_000;
/** As many as the largest page of a list, so that a search holds up others no longer than a list does. */
const READ_AT_ONCE = 100;

/** A page of the streams among the newest `MOST_SEARCHED` of `where` whose name contains the text in any case, and how many they are. */
export const searchNames = async (
  readModels: ReadModels,
  { where, nameContains }: { where: NonNullable<FindOptions['where']>; nameContains: string },
  { page, size }: PageRequest,
): Promise<{ documents: StreamDocument[]; total: number }> => {
  const wanted = nameContains.toLowerCase();
  const orderBy = [{ member: 'createdTimestamp', direction: 'desc' }] as const;
  const documents: StreamDocument[] = [];
  let total = 0;
  for (let skip = 0; skip < MOST_SEARCHED; skip += READ_AT_ONCE) {
    const found = await readModels.find(streamsProjection, { where, orderBy, skip, limit: READ_AT_ONCE });
    for (const document of found) {
      if (!document.name?.toLowerCase().includes(wanted)) continue;
      if (total >= page * size && documents.length < size) documents.push(document);
      total += 1;
    }
    if (found.length < READ_AT_ONCE) break;
    await ownTurn();
  }
  return { documents, total };
};
