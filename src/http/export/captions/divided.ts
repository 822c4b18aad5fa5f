import { type Break, breakBetween, LEAST_DURATION } from './breaks.ts';
import { cheapestParts, type Part } from './cheapest.ts';
import { Lines } from './layout.ts';
import type { Piece } from './pieces.ts';

interface Bounds {
  /** Characters of a line. */
  readonly width: number;
  readonly maxLines: number;
  /** Milliseconds. */
  readonly maxCueDuration: number;
  /** Length of the text before the first piece. */
  readonly prefix: number;
}

interface KnownBreaks extends Bounds {
  /** How a cue ends behind each piece; `null` behind the last. */
  readonly kinds: readonly (Break | null)[];
}

/** Costs of a division, of which the least is chosen. Only their proportions matter. */
const CUE = 10;
const BREAK = { sentence: 0, clause: 20, pause: 30, word: 80 } as const;
/** The end of a sentence within a cue that ends in the middle of the next one. */
const STRADDLED = 40;
const TOO_SHORT = 200;
/** Of an empty cue; less the fuller it is, so that cues of one sentence are about as long. */
const EMPTY = 15;

/** Divides a run into cues that fit into the bounds, at the best places. A single piece may exceed them. */
export const divided = (pieces: readonly Piece[], bounds: Bounds): Piece[][] => {
  const kinds = pieces.map((piece, n) => {
    const next = pieces[n + 1];
    return next ? breakBetween(piece, next) : null;
  });
  return cheapestParts(pieces, (from) => cuesFrom(pieces, from, { ...bounds, kinds }));
};

/** The cues that can begin at a piece: where each ends, and its cost. */
function* cuesFrom(pieces: readonly Piece[], from: number, bounds: KnownBreaks): Generator<Part> {
  const first = pieces[from];
  const lines = new Lines(bounds.width, from === 0 ? bounds.prefix : 0);
  let [characters, sentences] = [0, 0];
  for (let at = from; first && at < pieces.length; at += 1) {
    const [piece, next] = [pieces[at] ?? first, pieces[at + 1]];
    lines.add(piece);
    const isTooMuch = lines.count > bounds.maxLines || piece.end - first.start > bounds.maxCueDuration;
    if (isTooMuch && at > from) return;
    characters += piece.length + (piece.spaced ? 1 : 0);
    const kind = bounds.kinds[at];
    const fill = Math.min(1, characters / (bounds.width * bounds.maxLines));
    let cost = CUE + EMPTY * (1 - fill) ** 2;
    if (kind) cost += BREAK[kind] + (kind !== 'sentence' && sentences > 0 ? STRADDLED : 0);
    if (next && next.start - first.start < LEAST_DURATION) cost += TOO_SHORT;
    yield { to: at + 1, cost };
    if (kind === 'sentence') sentences += 1;
  }
}
