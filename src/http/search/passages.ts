import type { SearchedPassage } from '../../projections/search.ts';
import { type Mark, marksOf, type Phrase, placesOf } from '../../stores/fullText/phrases.ts';
import { foldedWords, wordsOf } from '../../stores/fullText/words.ts';
import { excerptOf } from './excerpt.ts';

/** Most passages of a stream in an answer. */
const MOST_PASSAGES = 3;

/** Occurrences in a stream, and its best passages. */
export interface Hits {
  /** Of all phrases, in all passages. */
  readonly hits: number;
  /** Whether each phrase occurs. */
  readonly complete: boolean;
  readonly passages: readonly ShownPassage[];
}

export interface ShownPassage {
  kind: SearchedPassage['kind'];
  utterance: string | null;
  speaker: string | null;
  start: number | null;
  end: number | null;
  text: string;
  marks: Mark[];
}

interface Found {
  readonly passage: SearchedPassage;
  /** Occurrences of each phrase. */
  readonly counts: readonly number[];
}

/** Finds the phrases in passages. Those with more of the phrases are better, then those with more occurrences, then earlier ones. */
export const hitsIn = (passages: readonly SearchedPassage[], phrases: readonly Phrase[]): Hits => {
  const found = passages.flatMap((passage): Found[] => {
    const words = foldedWords(passage.text);
    const counts = phrases.map((phrase) => placesOf(phrase, words).length);
    return counts.some((count) => count > 0) ? [{ passage, counts }] : [];
  });
  const best = found.toSorted((one, other) => distinct(other) - distinct(one) || total(other) - total(one));
  return {
    hits: found.reduce((sum, one) => sum + total(one), 0),
    complete: phrases.every((_, n) => found.some(({ counts }) => (counts[n] ?? 0) > 0)),
    passages: best.slice(0, MOST_PASSAGES).map(({ passage }) => shown(passage, phrases)),
  };
};

const distinct = ({ counts }: Found): number => counts.filter((count) => count > 0).length;
const total = ({ counts }: Found): number => counts.reduce((sum, count) => sum + count, 0);

const shown = (passage: SearchedPassage, phrases: readonly Phrase[]): ShownPassage => {
  const { kind, utterance = null, speaker = null, start = null, end = null } = passage;
  const words = [...wordsOf(passage.text)];
  const marks = merged(phrases.flatMap((phrase) => marksOf(phrase, words)));
  return { kind, utterance, speaker, start, end, ...excerptOf(passage.text, marks) };
};

/** In their order, without overlaps. */
const merged = (marks: readonly Mark[]): Mark[] => {
  const apart: Mark[] = [];
  for (const [start, end] of marks.toSorted(([one], [other]) => one - other)) {
    const before = apart.at(-1);
    if (before && start < before[1]) apart[apart.length - 1] = [before[0], Math.max(before[1], end)];
    else apart.push([start, end]);
  }
  return apart;
};
