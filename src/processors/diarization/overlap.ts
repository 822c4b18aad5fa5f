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

/** Utterances, and their words, that wait: wrong times must not make all of them wait. */
const [MOST_WAITING, MOST_WAITING_WORDS] = [200, 4_000];
/** Words of an utterance that is compared. */
const MOST_COMPARED_WORDS = 1_000;

/**
 * Detects overlapping speech in utterances ordered by start. An utterance waits until one begins after its end, so memory holds only what
 * overlaps.
 */
export class OverlapFinder {
  #waiting: NamedUtterance[] = [];
  #words = 0;

  /** Adds an utterance and returns those that need not wait any longer. */
  add(utterance: NamedUtterance): NamedUtterance[] {
    const { start } = utterance.transcription;
    for (const earlier of this.#waiting) {
      const { end } = earlier.transcription;
      if (end !== null && start !== null && end <= start) continue;
      mark(utterance.words, earlier.words);
      mark(earlier.words, utterance.words);
    }
    const done: NamedUtterance[] = [];
    for (let head = this.#waiting[0]; head && this.#isOver(head, start); head = this.#waiting[0]) {
      done.push(head);
      this.#words -= head.words.length;
      this.#waiting.shift();
    }
    this.#waiting.push(utterance);
    this.#words += utterance.words.length;
    return done;
  }

  rest(): NamedUtterance[] {
    const rest = this.#waiting;
    this.#waiting = [];
    this.#words = 0;
    return rest;
  }

  #isOver({ transcription: { end } }: NamedUtterance, start: number | null): boolean {
    return start === null || end === null || end <= start || this.#waiting.length >= MOST_WAITING || this.#words > MOST_WAITING_WORDS;
  }
}

/** Marks the words that overlap another speaker's. Our transcribers cut utterances at 1,000 words; longer ones of other processors stay unmarked. */
const mark = (words: readonly NamedWord[], others: readonly NamedWord[]): void => {
  if (words.length > MOST_COMPARED_WORDS || others.length > MOST_COMPARED_WORDS) return;
  for (const word of words) word.overlap ||= others.some((other) => overlaps(word, other));
};

const overlaps = ({ word: a, speaker }: NamedWord, { word: b, speaker: other }: NamedWord): boolean =>
  speaker !== null &&
  other !== null &&
  speaker !== other &&
  a.start !== null &&
  a.end !== null &&
  b.start !== null &&
  b.end !== null &&
  a.start < b.end &&
  b.start < a.end;
