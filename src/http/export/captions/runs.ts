import { speakerName } from '../formats/speakers.ts';
import { endsSentence, LEAST_DURATION, LONG_PAUSE, PAUSE } from './breaks.ts';
import { type Piece, piecesOf, type Timed } from './pieces.ts';

/** The speech of one speaker up to a longer pause. A cue never spans two runs. */
export interface Run {
  readonly speaker: string | null;
  readonly pieces: Piece[];
}

/**
 * Divides speech where the speaker changes or is silent for long, and after utterances that end with a sentence or a pause. A run too short for a cue
 * takes what follows it at once.
 */
export const runsOf = (utterances: readonly Timed[]): Run[] => {
  const runs: Run[] = [];
  for (const utterance of utterances) {
    const speaker = speakerName(utterance);
    for (const [n, piece] of piecesOf(utterance).entries()) {
      const run = runs.at(-1);
      if (run && run.speaker === speaker && continues(run, piece, n === 0)) run.pieces.push(piece);
      else runs.push({ speaker, pieces: [piece] });
    }
  }
  return runs;
};

const continues = ({ pieces }: Run, next: Piece, beginsUtterance: boolean): boolean => {
  const [first, last] = [pieces[0], pieces.at(-1)];
  if (!first || !last) return true;
  if (next.start < first.start + LEAST_DURATION) return true;
  const pause = next.start - last.end;
  if (!beginsUtterance) return pause <= LONG_PAUSE;
  return pause <= PAUSE && !endsSentence(last, next);
};
