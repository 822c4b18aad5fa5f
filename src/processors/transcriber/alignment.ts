/** A word from an engine over HTTP. Times in milliseconds; missing values are `null`. */
export interface EngineWord {
  readonly text: string;
  readonly start: number | null;
  readonly end: number | null;
  readonly confidence: number | null;
  readonly speaker: string | null;
  /** Characters of the text before this one belong to speech that was over when the word began. */
  readonly notBefore?: number;
}

/** A piece of a text: a word with its leading space. Joined, the pieces are the text. */
export interface Piece<Word> {
  readonly text: string;
  /** Where its visible part begins. */
  readonly at: number;
  /** The matching word of the engine; `null` if there is none. */
  readonly word: Word | null;
}

/** How far ahead in the text a word is searched: a word that is not in the text must not use up the rest. */
const WINDOW = 200;

const VISIBLE = /[\p{L}\p{N}]/u;
/** From the first letter or digit to the last, in linear time for any word of an engine. */
export const LETTERS_AND_BETWEEN = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su;

/** Lower case of the same length: some letters grow, and then places would shift. */
const folded = (text: string): string => {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
};

const bare = (word: string): string => {
  const trimmed = folded(word.trim());
  return LETTERS_AND_BETWEEN.exec(trimmed)?.[0] ?? trimmed;
};

/** Where the word is in the text, from `from` on and not far; at the beginning of a word, or right at `from`. -1 when it is not there. */
const find = (text: string, word: string, from: number): number => {
  const near = text.slice(from, from + WINDOW + word.length);
  for (let at = near.indexOf(word); at >= 0; at = near.indexOf(word, at + 1)) {
    if (at === 0 || !VISIBLE.test(near[at - 1] ?? '')) return from + at;
  }
  return -1;
};

interface Match<Word> {
  readonly at: number;
  readonly end: number;
  readonly word: Word;
}

const matchesOf = <Word extends Pick<EngineWord, 'text' | 'notBefore'>>(text: string, words: readonly Word[]): Match<Word>[] => {
  const lower = folded(text);
  const matches: Match<Word>[] = [];
  let cursor = 0;
  for (const word of words) {
    const spoken = bare(word.text);
    if (spoken === '') continue;
    const at = find(lower, spoken, Math.max(cursor, word.notBefore ?? 0));
    if (at < 0) continue;
    cursor = at + spoken.length;
    matches.push({ at, end: cursor, word });
  }
  return matches;
};

/**
 * Lays an engine's words over its text, which has the punctuation that they may lack: every piece between spaces is one word, and a piece
 * with several words of the engine is cut where they begin. A word that the text does not have is left out; text without a word of the
 * engine keeps its place, without times.
 */
export const alignWords = <Word extends Pick<EngineWord, 'text' | 'notBefore'>>(text: string, words: readonly Word[]): Piece<Word>[] => {
  const matches = matchesOf(text, words);
  const pieces: { text: string; at: number; word: Word | null }[] = [];
  let next = 0;
  let covered = 0;
  for (const { 0: token, index } of text.trimEnd().matchAll(/\s*\S+/gu)) {
    const end = index + token.length;
    const visible = index + token.length - token.trimStart().length;
    const last = pieces.at(-1);
    if (last && covered > visible) {
      // A word of the engine with a space in it.
      last.text += token;
      while ((matches[next]?.at ?? end) < end) next++;
      continue;
    }
    let from = index;
    let piece = { text: token, at: visible, word: null as Word | null };
    for (let match = matches[next]; match && match.at < end; match = matches[++next]) {
      if (piece.word === null && !VISIBLE.test(text.slice(from, match.at))) {
        piece.word = match.word;
      } else {
        pieces.push({ ...piece, text: text.slice(from, match.at) });
        from = match.at;
        piece = { text: token, at: match.at, word: match.word };
      }
      covered = match.end;
    }
    pieces.push({ ...piece, text: text.slice(from, end) });
  }
  return pieces;
};
