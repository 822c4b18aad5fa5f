import { POINT_WORDS } from './spokenSigns.ts';

/** A text in which digits and signs that were spelled out are written as such, with the places in the original that its characters stand for. */
export interface SpokenText {
  readonly text: string;
  /** Of each character of `text`: where it begins and ends in the original. */
  readonly from: readonly number[];
  readonly to: readonly number[];
}

const DIGITS: Readonly<Record<string, readonly string[]>> = {
  en: ['zero|oh', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'],
  de: ['null', 'eins', 'zwei|zwo', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht', 'neun'],
  es: ['cero', 'uno', 'dos', 'tres', 'cuatro', 'cinco', 'seis', 'siete', 'ocho', 'nueve'],
  fr: ['zéro', 'un', 'deux', 'trois', 'quatre', 'cinq', 'six', 'sept', 'huit', 'neuf'],
  it: ['zero', 'uno', 'due', 'tre', 'quattro', 'cinque', 'sei', 'sette', 'otto', 'nove'],
  nl: ['nul', 'een|één', 'twee', 'drie', 'vier', 'vijf', 'zes', 'zeven', 'acht', 'negen'],
  pt: ['zero', 'um', 'dois', 'três', 'quatro', 'cinco', 'seis|meia', 'sete', 'oito', 'nove'],
  ro: ['zero', 'unu', 'doi', 'trei', 'patru', 'cinci', 'șase|sase', 'șapte|sapte', 'opt', 'nouă|noua'],
};
const POINT = new RegExp(`^(?:${POINT_WORDS})$`);
const REPEATS: Readonly<Record<string, number>> = { double: 2, triple: 3 };
/** Digits in a row that are a number someone spells out: "one two" is not. */
const LEAST_DIGITS = 3;

interface Token {
  readonly from: number;
  readonly to: number;
  readonly written: string;
  readonly kind: 'digit' | 'point' | 'plus';
}

const wordsOf = (language: string | null): ReadonlyMap<string, string> => {
  const [code = 'en'] = (language ?? 'en').toLowerCase().split(/[-_]/);
  const digits = DIGITS[code] ?? DIGITS.en ?? [];
  return new Map(digits.flatMap((words, digit) => words.split('|').map((word) => [word, String(digit)] as const)));
};

const WORD = /\+|[\p{L}\p{N}]+/gu;
/** What engines write between the digits that someone spells out. */
const BETWEEN = /^(?:[,.-]?\s{1,3}|-|,)$/;

/** Joins digits that stand alone or are spelled out ("four one five", "4 1 5", "double five"), with the points and the plus among them. */
export const spokenText = (original: string, language: string | null): SpokenText => {
  const [text, from, to]: [string[], number[], number[]] = [[], [], []];
  let at = 0;
  const copy = (until: number): void => {
    for (; at < until; at++) {
      text.push(original.charAt(at));
      from.push(at);
      to.push(at + 1);
    }
  };
  for (const run of runsIn(original, wordsOf(language))) {
    copy(run[0]?.from ?? at);
    for (const token of run) {
      for (const character of token.written) {
        text.push(character);
        from.push(token.from);
        to.push(token.to);
      }
      at = token.to;
    }
  }
  copy(original.length);
  return { text: text.join(''), from, to };
};

const runsIn = (original: string, digits: ReadonlyMap<string, string>): Token[][] => {
  const runs: Token[][] = [];
  let run: Token[] = [];
  let repeat = { times: 1, from: -1 };
  const end = (): void => {
    while (run.at(-1)?.kind === 'point') run.pop();
    if (run.filter(({ kind }) => kind === 'digit').length >= LEAST_DIGITS) runs.push(run);
    run = [];
  };
  for (const { 0: found, index } of original.matchAll(WORD)) {
    const word = found.toLowerCase();
    const last = run.at(-1);
    if (last && repeat.from < 0 && !BETWEEN.test(original.slice(last.to, index))) end();
    if (Object.hasOwn(REPEATS, word)) {
      repeat = { times: REPEATS[word] ?? 1, from: index };
      continue;
    }
    const token = tokenOf(word, digits, run.length > 0);
    if (!token || (token.kind === 'plus' && run.length > 0)) end();
    if (token) {
      const isRepeated = repeat.from >= 0 && token.kind === 'digit';
      const written = isRepeated ? token.written.repeat(repeat.times) : token.written;
      run.push({ ...token, written, from: isRepeated ? repeat.from : index, to: index + found.length });
    }
    repeat = { times: 1, from: -1 };
  }
  end();
  return runs;
};

const tokenOf = (word: string, digits: ReadonlyMap<string, string>, follows: boolean): Pick<Token, 'written' | 'kind'> | null => {
  const digit = digits.get(word) ?? (/^\d$/.test(word) ? word : undefined);
  if (digit !== undefined) return { written: digit, kind: 'digit' };
  if (word === 'o' && follows) return { written: '0', kind: 'digit' };
  if (word === 'plus' || word === '+') return { written: '+', kind: 'plus' };
  return follows && POINT.test(word) ? { written: '.', kind: 'point' } : null;
};
