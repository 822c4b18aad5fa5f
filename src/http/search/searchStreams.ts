import { setImmediate } from 'node:timers/promises';
import type { ReadModels } from '../../projections/readModels.ts';
import { type SearchDocument, type SearchedPassage, searchProjection } from '../../projections/search.ts';
import type { FindOptions } from '../../stores/documents.ts';
import type { FullTextQuery } from '../../stores/fullText/phrases.ts';
import { searchKey } from '../../stores/fullText/words.ts';
import type { PageRequest } from '../answers/page.ts';
import { loaded } from '../answers/readPage.ts';
import { type Hits, hitsIn } from './passages.ts';

/** Most streams that a search finds, the most relevant ones. */
export const MOST_FOUND = 10_000;
/** Most streams whose texts are read to find what one speaker has said, the most relevant ones. */
export const MOST_SPOKEN = 500;

export interface Search {
  readonly query: FullTextQuery;
  readonly where: NonNullable<FindOptions['where']>;
  /** Name or id. */
  readonly speaker: string | undefined;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

export interface FoundStream {
  readonly document: SearchDocument;
  readonly hits: Hits;
}

/** A page of the streams that match, the most relevant first, and their total number. */
export const searchStreams = async (
  readModels: ReadModels,
  { query, where, speaker, signal }: Search,
  { page, size }: PageRequest,
): Promise<{ found: FoundStream[]; total: number }> => {
  const load = (some: readonly string[]) => readModels.getMany(searchProjection, some);
  const first = page * size;
  if (speaker === undefined) {
    const ids = await readModels.search(searchProjection, { query, where, limit: MOST_FOUND });
    const documents = await load(ids.slice(first, first + size));
    return { found: documents.map((document) => ({ document, hits: hitsIn(document.passages ?? [], query.all) })), total: ids.length };
  }
  const key = searchKey(speaker);
  const ids = await readModels.search(searchProjection, { query, where: { ...where, speakerKeys: { all: [key] } }, limit: MOST_SPOKEN });
  const found: FoundStream[] = [];
  for await (const document of loaded(ids, load)) {
    signal.throwIfAborted();
    const hits = hitsIn((document.passages ?? []).filter(isBy(key)), query.all);
    if (hits.complete) found.push({ document, hits });
    await setImmediate();
  }
  return { found: found.slice(first, first + size), total: found.length };
};

const isBy =
  (key: string) =>
  ({ speakerKeys = [] }: SearchedPassage): boolean =>
    speakerKeys.includes(key);
