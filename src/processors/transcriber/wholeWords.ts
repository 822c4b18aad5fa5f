import type { EngineWord } from './alignment.ts';

/** Milliseconds between two tokens after which the second begins a word, with a space or without. */
const PAUSE = 1_000;

/** Replaces a token that ends inside a letter. */
const BROKEN = '\uFFFD';

/**
 * Joins tokens to words: whisper.cpp's server answers " quar", "ter", "ly" where words were asked for. Where the words of a stretch bring their
 * spaces, one without continues the word before it. Only for scripts with spaces.
 */
export const wholeWords = (words: readonly EngineWord[]): readonly EngineWord[] => {
  if (!words.some(({ text }) => /^\s/.test(text))) return words;
  const groups: EngineWord[][] = [];
  for (const word of words) {
    const group = groups.at(-1);
    if (group && continues(group, word)) group.push(word);
    else groups.push([word]);
  }
  return groups.flatMap(([first, ...rest]) => (first ? [joined(first, rest)] : []));
};

const continues = (group: readonly EngineWord[], { text, speaker, start }: EngineWord): boolean => {
  const last = group.at(-1);
  if (/^\s/.test(text) || !last || last.speaker !== speaker) return false;
  return start === null || last.end === null || start - last.end < PAUSE;
};

const joined = (first: EngineWord, rest: readonly EngineWord[]): EngineWord => {
  if (rest.length === 0) return first;
  const tokens = [first, ...rest];
  const sure = tokens.flatMap(({ confidence }) => (confidence === null ? [] : [confidence]));
  const text = tokens.map((token) => token.text).join('');
  return {
    // The text of the segment has the letter whole, so the beginning of the word finds it there.
    text: text.split(BROKEN, 1)[0] ?? '',
    start: first.start,
    end: tokens.findLast(({ end }) => end !== null)?.end ?? first.end,
    confidence: sure.length === tokens.length ? sure.reduce((sum, one) => sum + one, 0) / sure.length : null,
    speaker: first.speaker,
  };
};
