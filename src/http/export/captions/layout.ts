import { breakBetween } from './breaks.ts';
import { cheapestParts, type Part } from './cheapest.ts';
import { lengthOf, type Piece } from './pieces.ts';

/** How captions are divided into cues and lines. */
export interface CaptionLayout {
  /** Characters of a line; `null`: 42, or 16 for Chinese, Japanese and Korean. */
  readonly maxLineLength: number | null;
  readonly maxLines: number;
  /** Milliseconds. */
  readonly maxCueDuration: number;
  /** One cue for each utterance, on one line. */
  readonly byUtterance: boolean;
}

export const DEFAULT_LAYOUT: CaptionLayout = { maxLineLength: null, maxLines: 2, maxCueDuration: 7_000, byUtterance: false };

const LINE_LENGTH = 42;
const CJK_LINE_LENGTH = 16;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const LETTERS = /\p{L}/gu;

/** The longest line for a text. */
export const lineLengthFor = (text: string, { maxLineLength }: CaptionLayout): number => {
  if (maxLineLength !== null) return maxLineLength;
  return 2 * (text.match(CJK)?.length ?? 0) > (text.match(LETTERS)?.length ?? 0) ? CJK_LINE_LENGTH : LINE_LENGTH;
};

/** Fills lines with pieces, one after another. A piece longer than a line has a line of its own. */
export class Lines {
  readonly #width: number;
  #column: number;
  count = 1;

  /** `prefix`: length of what stands before the first piece. */
  constructor(width: number, prefix: number) {
    this.#width = width;
    this.#column = prefix;
  }

  add(piece: Piece): void {
    const after = this.#column + lengthAfter(piece, this.#column > 0);
    const fits = this.#column === 0 || after <= this.#width;
    this.#column = fits ? after : piece.length;
    if (!fits) this.count += 1;
  }
}

const lengthAfter = ({ spaced, length }: Piece, follows: boolean): number => (spaced && follows ? 1 : 0) + length;

const withGap = ({ spaced, text }: Piece, follows: boolean): string => (spaced && follows ? ` ${text}` : text);

/** Costs of lines. The least number of them is most important. */
const LINE = 1_000;
const LINE_BREAK = { sentence: 0, clause: 5, pause: 8, word: 12 } as const;
const UNEVEN = 20;

/** The text in as few lines as possible after the prefix, broken at the ends of sentences and clauses rather than between words. */
export const inLines = (pieces: readonly Piece[], width: number, prefix: string): string => {
  const start = pieces[0]?.start ?? 0;
  const all =
    prefix === '' ? pieces : [{ text: prefix.trimEnd(), length: lengthOf(prefix.trimEnd()), start, end: start, spaced: false }, ...pieces];
  return cheapestParts(all, (from) => linesFrom(all, from, width))
    .map(lineText)
    .join('\n');
};

const lineText = (line: readonly Piece[]): string => line.map((piece, n) => withGap(piece, n > 0)).join('');

function* linesFrom(pieces: readonly Piece[], from: number, width: number): Generator<Part> {
  let length = 0;
  for (const [n, piece] of pieces.slice(from).entries()) {
    const next = pieces[from + n + 1];
    length += lengthAfter(piece, n > 0);
    if (n > 0 && length > width) return;
    const ending = next ? LINE_BREAK[breakBetween(piece, next)] : 0;
    yield { to: from + n + 1, cost: LINE + ending + UNEVEN * (1 - length / width) ** 2 };
  }
}
