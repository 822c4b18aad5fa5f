import type { Filter } from 'mongodb';
import { type FullTextQuery, type Phrase, placesOf } from '../fullText/phrases.ts';
import { foldedWords } from '../fullText/words.ts';
import type { DocumentRecord } from './documentForm.ts';

/** Documents that a search reads, the newest ones: phrases and relevance need their text. */
export const MOST_SEARCHED = 2_000;

/** Sorts after every letter. */
const AFTER_ALL = '\u{10ffff}';

const beginning = (word: string) => ({ words: { $elemMatch: { $gte: word, $lt: `${word}${AFTER_ALL}` } } });

/** Documents with all words of the phrases, in any order. */
export const wordsFilter = ({ all }: FullTextQuery): Filter<DocumentRecord> => {
  const whole = all.flatMap(({ words, prefix }) => (prefix ? words.slice(0, -1) : words));
  const beginnings = all.flatMap(({ words, prefix }) => (prefix ? words.slice(-1) : []));
  return { $and: [...(whole.length > 0 ? [{ words: { $all: [...new Set(whole)] } }] : []), ...beginnings.map(beginning)] };
};

/** Saturation and weight of the length, as FTS5 has them. */
const [K1, B] = [1.2, 0.75];

interface Found {
  readonly id: string;
  readonly length: number;
  /** Of each phrase. */
  readonly occurrences: readonly number[];
}

/** Documents by relevance (BM25, all phrases alike), those added first before others. */
export class Ranking {
  readonly #query: FullTextQuery;
  readonly #found: Found[] = [];

  constructor(query: FullTextQuery) {
    this.#query = query;
  }

  /** Leaves out a document without one of the phrases, or with an excluded one. */
  add(id: string, texts: readonly string[]): void {
    const passages = texts.map(foldedWords);
    const count = (phrase: Phrase) => passages.reduce((sum, words) => sum + placesOf(phrase, words).length, 0);
    const occurrences = this.#query.all.map(count);
    if (occurrences.includes(0) || this.#query.none.some((phrase) => count(phrase) > 0)) return;
    this.#found.push({ id, occurrences, length: passages.reduce((sum, { length }) => sum + length, 0) });
  }

  ids(): string[] {
    const average = this.#found.reduce((sum, { length }) => sum + length, 0) / Math.max(1, this.#found.length);
    const score = ({ occurrences, length }: Found) => {
      const weight = K1 * (1 - B + (B * length) / Math.max(1, average));
      return occurrences.reduce((sum, times) => sum + (times * (K1 + 1)) / (times + weight), 0);
    };
    const scored = this.#found.map((found) => ({ id: found.id, score: score(found) }));
    return scored.sort((one, other) => other.score - one.score).map(({ id }) => id);
  }
}
