import { UNSPACED } from '../../../domain/transcript/words.ts';
import type { Utterance } from '../../../results/transcript.ts';

/** A part of an utterance that no cue divides: a word with its punctuation. Times in milliseconds. */
export interface Piece {
  readonly text: string;
  /** In characters, of which an emoji is one. */
  readonly length: number;
  readonly start: number;
  readonly end: number;
  /** Whether a space separates it from the piece before it. */
  readonly spaced: boolean;
}

export type Timed = Utterance & { readonly start: number; readonly end: number };

/** Whether an utterance can be shown: a speech server may return no times. */
export const isTimed = (utterance: Utterance): utterance is Timed =>
  utterance.start !== undefined && utterance.end !== undefined && /\S/.test(utterance.text);

/** The words of a text, in order. Chinese, Japanese, Thai and the like are divided by a dictionary, because they have no spaces. */
export const piecesOf = (utterance: Timed): Piece[] => {
  const timeAt = timesOf(utterance);
  return [...utterance.text.matchAll(/\S+/g)].flatMap(({ 0: word, index }) =>
    wordsIn(word).map(({ text, at }, n): Piece => {
      const [from, to] = [index + at, index + at + text.length];
      const start = timeAt(from, 'start');
      const shown = withoutArrows(text);
      return { text: shown, length: lengthOf(shown), start, end: Math.max(start, timeAt(to, 'end')), spaced: n === 0 };
    }),
  );
};

/** In characters, of which an emoji is one. */
export const lengthOf = (text: string): number => [...text].length;

/** An arrow would be read as the times of a cue. */
export const withoutArrows = (text: string): string => text.replaceAll('-->', '→');

const IS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u');
const DICTIONARY = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The words of a text without spaces, each with the punctuation behind it. */
const wordsIn = (text: string): { text: string; at: number }[] => {
  if (!IS_UNSPACED.test(text)) return [{ text, at: 0 }];
  const words: { text: string; at: number }[] = [];
  for (const { segment, index, isWordLike } of DICTIONARY.segment(text)) {
    const last = words.at(-1);
    const opens = /^[\p{Ps}\p{Pi}]$/u.test(segment);
    if (last && !opens && (!isWordLike || /^[\p{Ps}\p{Pi}]+$/u.test(last.text))) last.text += segment;
    else words.push({ text: segment, at: index });
  }
  return words;
};

interface Mark {
  readonly at: number;
  readonly time: number;
}

/** The time at an offset of the text. Within a word, and where the engine gave no times, characters share the time evenly. */
const timesOf = ({ text, words, start, end }: Timed): ((offset: number, edge: 'start' | 'end') => number) => {
  const marks: Mark[] = [{ at: leadOf(text), time: words[0]?.start ?? start }];
  const add = (at: number, time: number): void => {
    marks.push({ at, time: Math.max(time, marks.at(-1)?.time ?? time) });
  };
  let offset = 0;
  for (const { word, start: from, end: to } of words) {
    if (from !== undefined) add(offset + leadOf(word), from);
    if (to !== undefined) add(offset + word.trimEnd().length, to);
    offset += word.length;
  }
  add(text.trimEnd().length, end);
  let near = 0;
  return (at, edge) => {
    // Offsets come in order.
    while (near + 1 < marks.length && isBefore(marks[near + 1], at, edge)) near += 1;
    return between(marks[near], marks[near + 1], at);
  };
};

const leadOf = (text: string): number => text.length - text.trimStart().length;

/** A word starts at the last mark at its offset, and ends at the first. */
const isBefore = (mark: Mark | undefined, at: number, edge: 'start' | 'end'): boolean =>
  mark !== undefined && (edge === 'start' ? mark.at <= at : mark.at < at);

const between = (before: Mark | undefined, after: Mark | undefined, at: number): number => {
  if (!before) return after?.time ?? 0;
  if (!after || after.at <= before.at) return before.time;
  return before.time + ((after.time - before.time) * (at - before.at)) / (after.at - before.at);
};
