import type { Utterance } from '../results.ts';

const UTTERANCES = 50;

/** Consecutive utterances that are rendered together. */
export interface TranscriptBlock {
  /** Index of its first utterance, and of that utterance's first word. */
  readonly first: number;
  readonly firstWord: number;
  readonly items: readonly Utterance[];
}

export const blocksOf = (utterances: readonly Utterance[]): readonly TranscriptBlock[] => {
  const blocks: TranscriptBlock[] = [];
  let firstWord = 0;
  for (let first = 0; first < utterances.length; first += UTTERANCES) {
    const items = utterances.slice(first, first + UTTERANCES);
    blocks.push({ first, firstWord, items });
    firstWord += items.reduce((sum, { words }) => sum + words.length, 0);
  }
  return blocks;
};

/** Index of the block that holds the word. */
export const blockOfWord = (blocks: readonly TranscriptBlock[], word: number): number =>
  blocks.findLastIndex(({ firstWord }) => firstWord <= word);

/** Index of the block that holds the utterance. */
export const blockOfUtterance = (blocks: readonly TranscriptBlock[], utterance: number): number =>
  blocks.findLastIndex(({ first }) => first <= utterance);

/**
 * Index of the utterance of a moment in whole seconds: the one that begins within this second, else the last before it; the first if there is
 * none.
 */
export const utteranceAt = (utterances: readonly Utterance[], at: number): number => {
  const begins = utterances.findIndex(({ start }) => start !== null && Math.floor(start / 1000) === Math.floor(at / 1000));
  return begins >= 0
    ? begins
    : Math.max(
        0,
        utterances.findLastIndex(({ start }) => start !== null && start <= at),
      );
};

/** An occurrence of the searched text, as offsets in the shown text of an utterance. */
export interface Hit {
  readonly utterance: number;
  readonly start: number;
  readonly end: number;
}

/** The text of an utterance as the page shows it: its words, if it has any. */
const shownText = ({ text, words }: Utterance): string => (words.length === 0 ? text : words.map(({ word }) => word).join(''));

/** Every occurrence of the text, in any case. None for an empty text. */
export const matching = (utterances: readonly Utterance[], text: string): readonly Hit[] => {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  return utterances.flatMap((utterance, n) => {
    const shown = shownText(utterance).toLowerCase();
    const hits: Hit[] = [];
    for (let at = shown.indexOf(wanted); at >= 0; at = shown.indexOf(wanted, at + wanted.length))
      hits.push({ utterance: n, start: at, end: at + wanted.length });
    return hits;
  });
};

/** The transcript as text: a line per utterance, with its speaker. */
export const asText = (utterances: readonly Utterance[]): string =>
  utterances.map(({ text, speakers }) => `${speakers.length > 0 ? `${speakers.join(', ')}: ` : ''}${text.trim()}`).join('\n');
