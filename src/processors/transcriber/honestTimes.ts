import type { SpokenUtterance, SpokenWord } from './utterances.ts';

/**
 * Makes the times of a run true to their promise, for every engine: within a channel, words and utterances are in order, do not overlap, and lie
 * inside the audio. Times that break it are moved as little as possible; a missing time stays missing.
 */
export class HonestTimes {
  /** End of the last final utterance of each channel. */
  readonly #ends = new Map<number | null, number>();

  /** `audioEnd`: milliseconds, `null` when it is not known. A partial utterance leaves no trace: the next one replaces it. */
  place(
    utterance: SpokenUtterance,
    { channel, audioEnd, final = true }: { channel: number | null; audioEnd: number | null; final?: boolean },
  ): SpokenUtterance {
    const least = this.#ends.get(channel) ?? 0;
    const most = Math.max(least, audioEnd ?? Number.POSITIVE_INFINITY);
    const words = ordered(utterance.words, least, most);
    const first = words.find(({ start }) => start !== null)?.start ?? null;
    const last = words.findLast(({ end }) => end !== null)?.end ?? null;
    const start = utterance.start === null ? first : Math.min(clamped(utterance.start, least, most), first ?? most);
    const end = utterance.end === null ? last : Math.max(clamped(utterance.end, start ?? least, most), last ?? least);
    if (final) this.#ends.set(channel, Math.max(least, end ?? start ?? least));
    return { words, start, end };
  }
}

const clamped = (time: number, least: number, most: number): number => Math.min(Math.max(time, least), most);

const ordered = (words: readonly SpokenWord[], least: number, most: number): SpokenWord[] => {
  const following = startsAfter(words);
  let before = least;
  return words.map((word, n) => {
    if (word.start === null || word.end === null) return { ...word, start: null, end: null };
    const start = clamped(word.start, before, most);
    // The next word's start ends this word, unless that start runs backwards.
    const next = following[n] ?? null;
    const end = clamped(word.end, start, next !== null && next > start ? Math.min(next, most) : most);
    before = end;
    return { ...word, start, end };
  });
};

/** For each word the start of the next word that has one. */
const startsAfter = (words: readonly SpokenWord[]): (number | null)[] => {
  const starts: (number | null)[] = [];
  let next: number | null = null;
  for (let n = words.length - 1; n >= 0; n--) {
    starts[n] = next;
    next = words[n]?.start ?? next;
  }
  return starts;
};
