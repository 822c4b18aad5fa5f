/** A word of a text: folded, with its place in UTF-16 units. Scripts without spaces have one for each character: see `wordsOf`. */
export interface Word {
  readonly word: string;
  readonly start: number;
  readonly end: number;
  /** Of a script without spaces: `word` is this character and the next one, if there is one. */
  readonly paired: boolean;
}

/** A longer word becomes its beginning: stores limit the keys of their indexes. */
const LONGEST_WORD = 64;

const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORD = /[a-z0-9]+/g;

const UNSPACED = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}`;
const LETTER = String.raw`[\p{L}\p{N}\p{M}]`;
/** A run of a script without spaces, or a word of any other script. */
const RUN = new RegExp(`((?:(?=${LETTER})[${UNSPACED}])+)|(?:(?![${UNSPACED}])${LETTER})+`, 'gu');
/** The same for a text without such scripts, faster. */
const WORD = new RegExp(`${LETTER}+`, 'gu');
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u');

/** Accents of Latin, Greek and Cyrillic letters, and the points of Hebrew and Arabic. Marks of other scripts are part of their spelling. */
const ACCENTS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]|[\u0591-\u05c7]|[\u064b-\u065f]|\u0670/g;
/** Letters that Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ł: 'l', ø: 'o', đ: 'd', ı: 'i', æ: 'ae', œ: 'oe', ς: 'σ' };
const UNDECOMPOSED = /[ßłøđıæœς]/g;
const NOT_OF_A_WORD = /[^\p{L}\p{N}\p{M}]/gu;

/** Texts repeat their words, and folding one takes longer than to look it up. */
const MOST_REMEMBERED = 50_000;
const remembered = new Map<string, string>();

/** Without case and accents. */
const folded = (word: string): string => {
  const known = remembered.get(word);
  if (known !== undefined) return known;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  const made = fold(word);
  if (word.length <= LONGEST_WORD) remembered.set(word, made);
  return made;
};

const fold = (text: string): string => {
  if (ASCII.test(text)) return text.toLowerCase();
  const bare = text.normalize('NFKD').replace(ACCENTS, '').toLowerCase().normalize('NFC');
  return bare.replace(UNDECOMPOSED, (letter) => LETTERS[letter] ?? letter).replace(NOT_OF_A_WORD, '');
};

/**
 * The words of a text, without case and accents, in their order. In scripts without spaces, each character makes a word with the one after it, so that any
 * part of a text is found as a phrase of pairs.
 */
export function* wordsOf(text: string): Generator<Word, void, undefined> {
  for (const { 0: run, 1: unspaced, index } of text.matchAll(HAS_UNSPACED.test(text) ? RUN : WORD)) {
    if (unspaced !== undefined) {
      yield* pairsOf(unspaced, index);
      continue;
    }
    const word = folded(run).slice(0, LONGEST_WORD);
    if (word !== '') yield { word, start: index, end: index + run.length, paired: false };
  }
}

function* pairsOf(run: string, index: number): Generator<Word, void, undefined> {
  const characters = [...run];
  let start = index;
  for (const [n, character] of characters.entries()) {
    const end = start + character.length;
    yield { word: folded(character) + folded(characters[n + 1] ?? ''), start, end, paired: true };
    start = end;
  }
}

/** The words of a text without their places. */
export const foldedWords = (text: string): readonly string[] =>
  ASCII.test(text)
    ? (text.toLowerCase().match(ASCII_WORD) ?? []).map((word) => word.slice(0, LONGEST_WORD))
    : Array.from(wordsOf(text), ({ word }) => word);

/** Text of which capitals and accents do not matter, such as a name, as a key. */
export const searchKey = (text: string): string => foldedWords(text).join(' ');
