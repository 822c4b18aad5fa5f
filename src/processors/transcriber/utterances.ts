import { alignWords, type EngineWord, type Piece } from './alignment.ts';
import { isUnspaced } from './languages.ts';
import type { SpeechAnswer, SpeechSegment } from './speechAnswer.ts';

/** A word of an utterance, with its leading space. */
export interface SpokenWord {
  readonly text: string;
  readonly start: number | null;
  readonly end: number | null;
  readonly confidence: number | null;
  readonly speaker: string | null;
}

/** Consecutive words of one speaker. */
export interface SpokenUtterance {
  readonly words: readonly SpokenWord[];
  readonly start: number | null;
  readonly end: number | null;
}

export interface Hearing {
  /** Segments with a higher no-speech probability are dropped; `null` keeps all. */
  readonly noSpeechThreshold: number | null;
  readonly language: string | null;
}

/** Largest message: a frame is bounded, whatever the engine calls a segment. */
const MOST_WORDS = 1_000;
const MOST_CHARACTERS = 100_000;
/** A pause that ends an utterance where the engine reports no segments. */
const PAUSE = 1_000;

/** The utterances of an answer: its segments, split where the speaker changes. Without segments, split at pauses. */
export const utterancesOf = (answer: SpeechAnswer, hearing: Hearing): SpokenUtterance[] => {
  const spoken = answer.segments.filter(({ text }) => text.trim() !== '');
  if (spoken.length === 0) return unsegmented(answer);
  return segmented(spoken, answer.words, hearing);
};

const segmented = (segments: readonly SpeechSegment[], words: readonly EngineWord[], hearing: Hearing): SpokenUtterance[] => {
  const { text, ends } = joinedText(segments, hearing.language);
  const pieces = alignWords(text, placed(words, segments, ends));
  const utterances: SpokenUtterance[] = [];
  let next = 0;
  for (const [n, segment] of segments.entries()) {
    const own: SpokenWord[] = [];
    for (let piece = pieces[next]; piece && piece.at < (ends[n] ?? 0); piece = pieces[++next]) own.push(spokenWord(piece, segment.speaker));
    const silent = hearing.noSpeechThreshold !== null && (segment.noSpeech ?? 0) > hearing.noSpeechThreshold;
    if (!silent) utterances.push(...cut(own, () => false, segment));
  }
  return utterances;
};

const unsegmented = ({ text, words }: SpeechAnswer): SpokenUtterance[] => {
  // Words that bring their own spaces are joined unchanged.
  const separator = words.some((word) => /^\s/.test(word.text)) ? '' : ' ';
  const whole = text.trim() !== '' ? text.trim() : words.map((word) => word.text).join(separator);
  const pieces = alignWords(whole, words).map((piece) => spokenWord(piece, null));
  return cut(pieces, (before, word) => word.start !== null && before.end !== null && word.start - before.end >= PAUSE, null);
};

/** The segments' texts joined (with spaces, except in scripts without them), and where each one ends. */
const joinedText = (segments: readonly SpeechSegment[], language: string | null): { text: string; ends: number[] } => {
  const ends: number[] = [];
  let text = '';
  for (const segment of segments) {
    text += (text === '' || isUnspaced(language) ? '' : ' ') + segment.text.trim();
    ends.push(text.length);
  }
  return { text, ends };
};

/** Words that start after the end of a segment are not in its text, so a stretch without words does not lose all later ones. */
const placed = (words: readonly EngineWord[], segments: readonly SpeechSegment[], ends: readonly number[]): EngineWord[] => {
  let n = 0;
  return words.map((word) => {
    for (let end = segments[n]?.end; end !== undefined && end !== null && word.start !== null && end <= word.start; )
      end = segments[++n]?.end;
    return { ...word, notBefore: ends[n - 1] ?? 0 };
  });
};

const spokenWord = ({ text, word }: Piece<EngineWord>, speaker: string | null): SpokenWord => ({
  text,
  start: word?.start ?? null,
  end: word?.end ?? null,
  confidence: word?.confidence ?? null,
  speaker: word?.speaker ?? speaker,
});

const cut = (
  words: readonly SpokenWord[],
  pausesBefore: (before: SpokenWord, word: SpokenWord) => boolean,
  segment: Pick<SpeechSegment, 'start' | 'end'> | null,
): SpokenUtterance[] => {
  const groups: SpokenWord[][] = [];
  let characters = 0;
  for (const word of words) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    characters += word.text.length;
    const goesOn = before && group && before.speaker === word.speaker && !pausesBefore(before, word);
    if (goesOn && group.length < MOST_WORDS && characters < MOST_CHARACTERS) {
      group.push(word);
      continue;
    }
    groups.push([word]);
    characters = word.text.length;
  }
  return groups.map((group, n) => ({
    words: group,
    start: (n === 0 ? segment?.start : null) ?? firstStart(group),
    end: (n === groups.length - 1 ? segment?.end : null) ?? lastEnd(group),
  }));
};

const firstStart = (words: readonly SpokenWord[]): number | null => words.find(({ start }) => start !== null)?.start ?? null;

const lastEnd = (words: readonly SpokenWord[]): number | null => words.findLast(({ end }) => end !== null)?.end ?? null;
