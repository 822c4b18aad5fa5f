import type { TranscribedWord, Transcription } from '../stream/messages.ts';

/** Scripts without spaces, for a class of characters. */
export const UNSPACED = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script=${script}}`)
  .join('');
/** With the space before it: a word, or one character of a script without spaces. */
const UNIT = new RegExp(`\\s*(?:[${UNSPACED}]\\p{M}*|[^\\s${UNSPACED}]+)`, 'gu');

const unitsOf = (text: string): string[] => text.match(UNIT) ?? [];

/** The words of an utterance. If its engine gave only text, its words share the time of the utterance. */
export const wordsOf = (message: Transcription): readonly TranscribedWord[] =>
  message.words.length > 0 ? message.words : respelled({ ...message, words: [] }, message.transcription);

/**
 * The words of another text in place of an utterance's. Words that stay keep their times and confidence; changed ones share the time between their
 * neighbours. Joined, the words are the text, with the space before it that the utterance had.
 */
export const respelled = ({ words, start, end }: Pick<Transcription, 'words' | 'start' | 'end'>, text: string): TranscribedWord[] => {
  const lead = /^\s/.test(words[0]?.word ?? '') ? ' ' : '';
  const before = words.flatMap(({ word }, n) => unitsOf(word).map((unit, part) => ({ unit: unit.trim(), n, part })));
  const after = unitsOf(lead + text.trim());
  const stays = staying(
    before.map(({ unit }) => unit),
    after.map((unit) => unit.trim()),
  );
  const result: { word: TranscribedWord; isNew: boolean }[] = [];
  for (let at = 0; at < after.length; ) {
    const first = before[stays[at] ?? -1];
    const old = first && first.part === 0 ? words[first.n] : undefined;
    const parts = old ? unitsOf(old.word).length : 1;
    const isWhole = old && after.slice(at, at + parts).every((_, part) => stays[at + part] === (stays[at] ?? 0) + part);
    const taken = isWhole ? parts : 1;
    const word = after.slice(at, at + taken).join('');
    const near = old ?? result.at(-1)?.word ?? words[0];
    result.push(isWhole ? { word: { ...old, word }, isNew: false } : { word: newWord(word, near), isNew: true });
    at += taken;
  }
  return timed(result, start, end);
};

const newWord = (word: string, near: TranscribedWord | undefined): TranscribedWord => ({
  word,
  start: null,
  end: null,
  confidence: null,
  language: near?.language ?? null,
  metadata: near?.metadata ?? {},
});

const timed = (
  words: readonly { readonly word: TranscribedWord; readonly isNew: boolean }[],
  start: number | null,
  end: number | null,
): TranscribedWord[] => {
  const result: TranscribedWord[] = [];
  for (let at = 0; at < words.length; ) {
    const next = words.findIndex(({ isNew }, n) => n >= at && !isNew);
    const until = next < 0 ? words.length : next;
    const from = at === 0 ? start : (words[at - 1]?.word.end ?? null);
    const to = next < 0 ? end : (words[next]?.word.start ?? null);
    for (const [n, { word }] of words.slice(at, until).entries()) result.push({ ...word, ...shareOf(from, to, n, until - at) });
    const kept = words[until]?.word;
    if (kept) result.push(kept);
    at = until + 1;
  }
  return result;
};

const shareOf = (from: number | null, to: number | null, n: number, shares: number): { start: number | null; end: number | null } => {
  if (from === null || to === null) return { start: null, end: null };
  const length = Math.max(0, to - from) / shares;
  return { start: Math.round(from + n * length), end: Math.round(from + (n + 1) * length) };
};

/** A larger comparison would hold up other requests: then all words between the common ends count as changed. */
const MOST_CELLS = 1_000_000;

/** For each unit of the new text, the index of the same unit in the old one, in rising order, or -1. */
const staying = (before: readonly string[], after: readonly string[]): number[] => {
  const stays = new Array<number>(after.length).fill(-1);
  let head = 0;
  while (head < Math.min(before.length, after.length) && before[head] === after[head]) {
    stays[head] = head;
    head += 1;
  }
  let [left, right] = [before.length, after.length];
  while (left > head && right > head && before[left - 1] === after[right - 1]) {
    left -= 1;
    right -= 1;
    stays[right] = left;
  }
  if ((left - head) * (right - head) <= MOST_CELLS)
    for (const [old, fresh] of longestCommon(before.slice(head, left), after.slice(head, right))) stays[head + fresh] = head + old;
  return stays;
};

/** Pairs of indices of a longest common subsequence. */
const longestCommon = (before: readonly string[], after: readonly string[]): [old: number, fresh: number][] => {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (old: number, fresh: number): number => lengths[old * width + fresh] ?? 0;
  for (let old = before.length - 1; old >= 0; old--)
    for (let fresh = after.length - 1; fresh >= 0; fresh--)
      lengths[old * width + fresh] =
        before[old] === after[fresh] ? at(old + 1, fresh + 1) + 1 : Math.max(at(old + 1, fresh), at(old, fresh + 1));
  const pairs: [number, number][] = [];
  for (let old = 0, fresh = 0; old < before.length && fresh < after.length; ) {
    if (before[old] === after[fresh]) pairs.push([old++, fresh++]);
    else if (at(old + 1, fresh) >= at(old, fresh + 1)) old += 1;
    else fresh += 1;
  }
  return pairs;
};
