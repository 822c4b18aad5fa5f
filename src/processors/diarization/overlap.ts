import type { TranscribedWord, Transcription } from '../../domain/stream/messages.ts';

/** A word with its speaker, and whether someone else speaks at the same time. */
export interface NamedWord {
  readonly word: TranscribedWord;
  readonly speaker: string | null;
  overlap: boolean;
}

export interface NamedUtterance {
  readonly transcription: Transcription;
  readonly words: readonly NamedWord[];
}

/** Limits of waiting utterances and their words: wrong times from an engine must not make all of them wait. */
const [MOST_WAITING, MOST_WAITING_WORDS] = [200, 4_000];

/**
 * Detects overlapping speech in utterances ordered by start. An utterance waits until one begins after its end, so memory holds only what
 * overlaps.
 */
export class OverlapFinder {
  #waiting: Waiting[] = [];
  #words = 0;

  /** Adds an utterance and returns those that no later one can overlap. */
  add(utterance: NamedUtterance): NamedUtterance[] {
    const speech = new Speech(utterance.words);
    const { start } = utterance.transcription;
    for (const earlier of this.#waiting) {
      const { end } = earlier.utterance.transcription;
      if (end !== null && start !== null && end <= start) continue;
      speech.mark(earlier.utterance.words);
      earlier.speech.mark(utterance.words);
    }
    const done: NamedUtterance[] = [];
    for (let head = this.#waiting[0]; head && this.#isOver(head.utterance, start); head = this.#waiting[0]) {
      done.push(head.utterance);
      this.#words -= head.utterance.words.length;
      this.#waiting.shift();
    }
    this.#waiting.push({ utterance, speech });
    this.#words += utterance.words.length;
    return done;
  }

  rest(): NamedUtterance[] {
    const rest = this.#waiting;
    this.#waiting = [];
    this.#words = 0;
    return rest.map(({ utterance }) => utterance);
  }

  #isOver({ transcription: { end } }: NamedUtterance, start: number | null): boolean {
    return start === null || end === null || end <= start || this.#waiting.length >= MOST_WAITING || this.#words > MOST_WAITING_WORDS;
  }
}

interface Waiting {
  readonly utterance: NamedUtterance;
  readonly speech: Speech;
}

/** The latest end of a speaker's words. */
interface Reach {
  readonly speaker: string;
  readonly end: number;
}

/**
 * When the speakers of an utterance speak. A search tells whether a word overlaps one of another speaker: comparing each word with each would take
 * seconds for words that all overlap.
 */
class Speech {
  /** Starts of the words of known speakers, in order. */
  readonly #starts: number[] = [];
  /** Of the words up to each start: the latest end, and the latest of any other speaker. */
  readonly #reaches: (readonly [latest: Reach, other: Reach | null])[] = [];

  constructor(words: readonly NamedWord[]) {
    const spoken = words.flatMap(({ word: { start, end }, speaker }) =>
      start === null || end === null || speaker === null ? [] : [{ start, end, speaker }],
    );
    for (const { start, end, speaker } of spoken.sort((a, b) => a.start - b.start)) {
      const [latest, other] = this.#reaches.at(-1) ?? [null, null];
      const own: Reach = { speaker, end: latest?.speaker === speaker ? Math.max(end, latest.end) : end };
      const others = latest?.speaker === speaker ? other : latest;
      const isLatest = !others || own.end >= others.end;
      this.#starts.push(start);
      if (isLatest) this.#reaches.push([own, others]);
      else this.#reaches.push([others, other && other.end > own.end ? other : own]);
    }
  }

  /** Marks the words that overlap one of another speaker here. */
  mark(words: readonly NamedWord[]): void {
    for (const word of words) word.overlap ||= this.#hasOther(word);
  }

  #hasOther({ word: { start, end }, speaker }: NamedWord): boolean {
    if (start === null || end === null || speaker === null) return false;
    const reach = this.#reaches[this.#begunBefore(end) - 1];
    if (!reach) return false;
    const [latest, other] = reach;
    return ((latest.speaker === speaker ? other?.end : latest.end) ?? Number.NEGATIVE_INFINITY) > start;
  }

  /** Number of words that start before a time. */
  #begunBefore(time: number): number {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? time) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
