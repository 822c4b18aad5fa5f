import type { Utterance } from '../../../results/transcript.ts';
import { onOneLine, speakerName } from '../formats/speakers.ts';
import { LEAST_DURATION } from './breaks.ts';
import { divided } from './divided.ts';
import { type CaptionLayout, inLines, lineLengthFor } from './layout.ts';
import { isTimed, lengthOf, type Piece, type Timed, withoutArrows } from './pieces.ts';
import { runsOf } from './runs.ts';

/** One caption. Times in milliseconds. */
export interface Cue {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** `null` if it is not known. */
  readonly speaker: string | null;
}

/** `named`: a cue begins with the name of its speaker if the one before it has another. */
interface CueOptions {
  readonly layout: CaptionLayout;
  readonly named: boolean;
}

/** The captions of one stream, in order of their utterances. */
export const cuesOf = (utterances: readonly Utterance[], { layout, named }: CueOptions): Cue[] => {
  const timed = utterances.filter(isTimed);
  const prefixes = new Prefixes(named);
  if (layout.byUtterance) return timed.map((utterance) => wholeCue(utterance, prefixes.next(speakerName(utterance))));
  const runs = runsOf(timed);
  return runs.flatMap(({ speaker, pieces }, run) => {
    const width = lineLengthFor(pieces.map(({ text }) => text).join(''), layout);
    const prefix = prefixes.next(speaker);
    const parts = divided(pieces, { ...layout, width, prefix: lengthOf(prefix.trimEnd()) });
    return parts.map((part, n) => {
      const text = inLines(part, width, n === 0 ? prefix : '');
      const next = parts[n + 1] ?? runs[run + 1]?.pieces;
      return { ...timesOf(part, next, layout.maxCueDuration), text, speaker };
    });
  });
};

/** The names of speakers at the beginnings of cues. */
class Prefixes {
  readonly #named: boolean;
  #last: string | null = null;

  constructor(named: boolean) {
    this.#named = named;
  }

  next(speaker: string | null): string {
    const changed = speaker !== this.#last;
    this.#last = speaker;
    return this.#named && changed && speaker !== null ? withoutArrows(`${speaker}: `) : '';
  }
}

const wholeCue = (utterance: Timed, prefix: string): Cue => ({
  start: utterance.start,
  end: Math.max(utterance.end, utterance.start + 1),
  text: prefix + withoutArrows(onOneLine(utterance.text.trim())),
  speaker: speakerName(utterance),
});

/** A short cue stays for a second, or until the next one begins. */
const timesOf = (pieces: readonly Piece[], next: readonly Piece[] | undefined, longest: number): { start: number; end: number } => {
  const start = pieces[0]?.start ?? 0;
  const end = pieces.at(-1)?.end ?? start;
  const stays = Math.max(end, Math.min(start + LEAST_DURATION, next?.[0]?.start ?? Number.POSITIVE_INFINITY));
  return { start, end: Math.min(stays, start + longest) };
};
