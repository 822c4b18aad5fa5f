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

/** Limit of waiting utterances: wrong times from an engine must not make all of them wait. */
const MOST_WAITING = 200;

/**
 * Detects overlapping speech in utterances ordered by start. An utterance waits until one begins after its end, so memory holds only what
 * overlaps.
 */
export class OverlapFinder {
  #waiting: NamedUtterance[] = [];

  /** Adds an utterance and returns those that no later one can overlap. */
  add(utterance: NamedUtterance): NamedUtterance[] {
    for (const earlier of this.#waiting) markOverlaps(earlier, utterance);
    const start = utterance.transcription.start;
    const done: NamedUtterance[] = [];
    for (let head = this.#waiting[0]; head && isOver(head, start, this.#waiting.length); head = this.#waiting[0]) {
      done.push(head);
      this.#waiting.shift();
    }
    this.#waiting.push(utterance);
    return done;
  }

  rest(): NamedUtterance[] {
    const rest = this.#waiting;
    this.#waiting = [];
    return rest;
  }
}

const isOver = ({ transcription }: NamedUtterance, start: number | null, waiting: number): boolean =>
  start === null || transcription.end === null || transcription.end <= start || waiting >= MOST_WAITING;

/** Both lists are ordered by start. Visits each overlapping pair once. */
const markOverlaps = (one: NamedUtterance, other: NamedUtterance): void => {
  const { end } = one.transcription;
  const { start } = other.transcription;
  if (end !== null && start !== null && end <= start) return;
  let from = 0;
  for (const a of one.words) {
    const { start: aStart, end: aEnd } = a.word;
    if (aStart === null || aEnd === null) continue;
    while (from < other.words.length && (other.words[from]?.word.end ?? 0) <= aStart) from++;
    for (let n = from; n < other.words.length; n++) {
      const b = other.words[n];
      if (!b || b.word.start === null || b.word.end === null) continue;
      if (b.word.start >= aEnd) break;
      if (b.word.end <= aStart || a.speaker === null || b.speaker === null || a.speaker === b.speaker) continue;
      a.overlap = true;
      b.overlap = true;
    }
  }
};
