import { type Word, wordsOf } from './words.ts';

/** Words that follow each other, as `wordsOf` folds them. With `prefix`, the last one is the beginning of a word. */
export interface Phrase {
  readonly words: readonly string[];
  readonly prefix: boolean;
}

/** Finds documents with all of these phrases, at least one, and with none of those. */
export interface FullTextQuery {
  readonly all: readonly Phrase[];
  readonly none: readonly Phrase[];
}

/** The phrase that finds a text; `null` for a text without words. In scripts without spaces it is found within longer texts too. */
export const phraseOf = (text: string, prefix: boolean): Phrase | null => {
  const words = [...wordsOf(text)];
  const last = words.at(-1);
  if (!last) return null;
  if (!last.paired) return { words: words.map(({ word }) => word), prefix };
  // The last character stands alone here. In a longer text it is the beginning of a pair, and a pair before it contains it.
  const contained = words.at(-2)?.paired === true && words.at(-2)?.end === last.start;
  const needed = contained ? words.slice(0, -1) : words;
  return { words: needed.map(({ word }) => word), prefix: !contained };
};

/** Where a phrase is found among the words of a text: indexes of its first words. */
export const placesOf = ({ words, prefix }: Phrase, among: readonly string[]): number[] => {
  const last = words.length - 1;
  const isHere = (at: number) =>
    words.every((word, n) => (n === last && prefix ? among[at + n]?.startsWith(word) === true : among[at + n] === word));
  const places: number[] = [];
  for (let at = 0; at + last < among.length; at += 1) if (isHere(at)) places.push(at);
  return places;
};

/** [start, end) in UTF-16 units. */
export type Mark = readonly [start: number, end: number];

/** The places of a phrase in a text. */
export const marksOf = (phrase: Phrase, words: readonly Word[]): Mark[] => {
  const among = words.map(({ word }) => word);
  return placesOf(phrase, among).flatMap((at): Mark[] => {
    const [first, last] = [words[at], words[at + phrase.words.length - 1]];
    if (!first || !last) return [];
    // A whole pair of characters ends with the next one.
    const next = words[at + phrase.words.length];
    const isPair = last.paired && !phrase.prefix && next?.start === last.end && next.paired;
    return [[first.start, isPair ? next.end : last.end]];
  });
};
