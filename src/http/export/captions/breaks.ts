import type { Piece } from './pieces.ts';

/** Milliseconds of silence at which a cue may end. */
export const PAUSE = 300;
/** Milliseconds of silence at which a cue ends. */
export const LONG_PAUSE = 1_000;
/** Milliseconds that a cue is shown at least. */
export const LEAST_DURATION = 1_000;

const CLOSING = `["'”’)\\]»」』]*$`;
const SENTENCE_END = new RegExp(`[.!?…。！？؟۔।]${CLOSING}`, 'u');
const CLAUSE_END = new RegExp(`[,;:—–、，；：،]${CLOSING}`, 'u');

export const endsWithSentence = (text: string): boolean => SENTENCE_END.test(text);

/** A lower-case letter after a full stop shows an abbreviation. */
export const endsSentence = ({ text }: Piece, next: Piece): boolean => endsWithSentence(text) && !/^\p{Ll}/u.test(next.text);

/** How well a cue ends: best after a sentence, then after a clause, then at a pause. */
export type Break = 'sentence' | 'clause' | 'pause' | 'word';

export const breakBetween = (piece: Piece, next: Piece): Break => {
  if (endsSentence(piece, next)) return 'sentence';
  if (CLAUSE_END.test(piece.text)) return 'clause';
  return next.start - piece.end > PAUSE ? 'pause' : 'word';
};
