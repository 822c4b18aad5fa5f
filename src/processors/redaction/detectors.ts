import type { CountryCode } from 'libphonenumber-js/max';
import type { RE2JS } from 're2js';
import type { REDACTED_KINDS } from '../../domain/templates/declarations.ts';
import { ibanIn, isAddress, isCard, isPhone, isSsn } from './numbers.ts';
import { DASH_WORDS, POINT_WORDS } from './spokenSigns.ts';
import { type SpokenText, spokenText } from './spokenText.ts';

export type Kind = (typeof REDACTED_KINDS)[number];

/** A piece of a text, in UTF-16 units. */
export interface Found {
  readonly from: number;
  readonly to: number;
}

export interface Context {
  /** Of phone numbers without a country code. */
  readonly country: CountryCode | null;
  readonly patterns: readonly RE2JS[];
}

type Detector = (text: string, context: Context) => Iterable<Found>;

const DOT = `(?:\\.|\\s(?:${POINT_WORDS})\\s)`;
const JOINT = `(?:[._%+'-]|\\s(?:${POINT_WORDS}|${DASH_WORDS}|underscore|unterstrich|plus)\\s)`;
const AT = '(?:at|ät|arobase|arroba|arond|chiocciola|apenstaartje)';
const LETTER = '\\p{L}\\p{N}';
/** No letter or digit before, and behind. */
const [BEGIN, END] = [`(?<![${LETTER}])`, `(?![${LETTER}])`];
const PART = `[${LETTER}]{1,64}`;
const TLD =
  'com|org|net|edu|gov|mil|int|info|biz|io|ai|app|dev|me|tv|co|us|uk|eu|de|at|ch|fr|be|nl|lu|es|pt|it|ro|md|pl|cz|sk|hu|bg|gr|tr|dk|se|no|fi|ie|ca|au|nz|br|mx|ar|cl|in|jp|cn|kr|ru|ua|za';
const DOMAIN = `${PART}(?:(?:-|\\s(?:${DASH_WORDS})\\s)${PART}){0,4}`;

const MAILBOX = `${BEGIN}${PART}(?:${JOINT}${PART}){0,5}`;
/** Words before a spoken "at" that are no mailbox. */
const NO_MAILBOX =
  '(?!(?:is|are|was|be|us|me|him|her|them|look|looks|looked|looking|find|found|visit|online|available|page|site|here|there|now)\\s)';
const EMAIL = new RegExp(
  [
    `${MAILBOX}\\s?@\\s?(?:${DOMAIN}${DOT}){1,4}\\p{L}{2,24}${END}`,
    `${BEGIN}${NO_MAILBOX}${PART}(?:${JOINT}${PART}){0,5}\\s${AT}\\s(?:${DOMAIN}${DOT}){1,4}(?:${TLD})(?![${LETTER}@])`,
  ].join('|'),
  'giu',
);
const SLASH = '(?:/|\\s(?:slash|schrägstrich|barra|barre)\\s)';
const URL_TEXT = new RegExp(
  [
    'https?://[^\\s<>"]{1,2000}',
    `(?:www|w w w)${DOT}(?:${DOMAIN}${DOT}){1,4}${PART}(?:${SLASH}[^\\s<>"]{1,200})*`,
    `(?<![${LETTER}@.])(?:${DOMAIN}${DOT}){1,4}(?:${TLD})${END}(?:${SLASH}[^\\s<>"]{0,200})*`,
  ].join('|'),
  'giu',
);
const IP = new RegExp(
  `(?<![${LETTER}.:])(?:\\d{1,3}(?:${DOT}\\d{1,3}){3}|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7})(?![${LETTER}:]|\\.\\d)`,
  'giu',
);
/** More are no phone number (E.164). */
const MOST_PHONE_DIGITS = 15;
const LEAST_CARD_DIGITS = 13;
/** Digits with what engines write between groups of them. */
const SEPARATOR = '[\\s,.()/-]{0,3}';
const DIGITS = new RegExp(`(?<![${LETTER}]|[\\d][.,])[+(]{0,2}\\d(?:${SEPARATOR}\\d){6,24}${END}`, 'gu');
const IBAN = new RegExp(`${BEGIN}[A-Z][\\s,-]{0,2}[A-Z](?:[\\s,-]{0,2}\\d){2}(?:[\\s,.-]{0,2}[A-Z0-9]){11,30}`, 'giu');
const NUMBER = new RegExp(`${BEGIN}\\d(?:[\\s.,:/-]?\\d)*`, 'gu');
const CALLED =
  /(?:phone|call|number|mobile|cell|reach|dial|fax|text|whatsapp|telefon|handy|numéro|teléfono|número|numărul|sunați)[^.?!]{0,30}$/iu;
const SOCIAL = /(?:social|ssn)/i;

function* matches(text: string, pattern: RegExp): Generator<Found & { readonly text: string }> {
  for (const { 0: found, index } of text.matchAll(pattern)) yield { from: index, to: index + found.length, text: found };
}

/** Ends of groups of digits, from the longest to the shortest that `least` digits allow. */
const groupEnds = (text: string, least: number): number[] => {
  const ends = [...text.matchAll(/\d+/g)].map(({ 0: digits, index }) => index + digits.length);
  return ends.filter((end) => text.slice(0, end).replace(/\D/g, '').length >= least).reverse();
};

/** Cards among the groups of a series of digits, the longest first. */
function* cardsIn(text: string): Generator<Found> {
  let at = 0;
  for (const { index: from } of text.matchAll(/\d+/g)) {
    if (from < at) continue;
    const end = groupEnds(text.slice(from), LEAST_CARD_DIGITS).find((one) => isCard(text.slice(from, from + one)));
    if (end === undefined) continue;
    at = from + end;
    yield { from, to: at };
  }
}

const trimmed = (text: string): number => text.replace(/[\s.,;:!?)'"\]]+$/u, '').length;

const DETECTORS: Readonly<Record<Kind, Detector>> = {
  email: (text) => matches(text, EMAIL),
  *url(text) {
    for (const found of matches(text, URL_TEXT)) yield { from: found.from, to: found.from + trimmed(found.text) };
  },
  *ip(text) {
    for (const found of matches(text, IP)) if (isAddress(found.text)) yield found;
  },
  *iban(text) {
    for (const { from, text: found } of matches(text, IBAN)) {
      const iban = ibanIn(found);
      if (iban !== null) yield { from, to: from + iban.length };
    }
  },
  *card(text) {
    for (const found of matches(text, DIGITS))
      for (const { from, to } of cardsIn(found.text)) yield { from: found.from + from, to: found.from + to };
  },
  *ssn(text) {
    const isSocial = SOCIAL.test(text);
    for (const found of matches(text, DIGITS)) {
      const isGrouped = /^\d{3}[\s-]{1,2}\d{2}[\s-]{1,2}\d{4}$/.test(found.text);
      if ((isGrouped || isSocial) && isSsn(found.text)) yield found;
    }
  },
  *phone(text, { country }) {
    for (const { from, text: found } of matches(text, DIGITS)) {
      const isCalled = CALLED.test(text.slice(Math.max(0, from - 40), from));
      const end = groupEnds(found, 7).find((one) => isPhone(found.slice(0, one), country, isCalled));
      if (end !== undefined && found.replace(/\D/g, '').length <= MOST_PHONE_DIGITS) yield { from, to: from + end };
    }
  },
  *custom(text, { patterns }) {
    for (const pattern of patterns) {
      const matcher = pattern.matcher(text);
      while (matcher.find()) if (matcher.end() > matcher.start()) yield { from: matcher.start(), to: matcher.end() };
    }
  },
  *number(text) {
    for (const found of matches(text, NUMBER)) yield found;
  },
};

/** The first that finds a piece of text keeps it. */
const ORDER: readonly Kind[] = ['custom', 'email', 'url', 'iban', 'card', 'ip', 'ssn', 'phone', 'number'];

/** What the kinds find in a text of this language, each piece under one kind, in order. Patterns of the caller read the text as it is. */
export const detect = (
  original: string,
  language: string | null,
  kinds: ReadonlySet<Kind>,
  context: Context,
): (Found & { readonly kind: Kind })[] => {
  const all: (Found & { readonly kind: Kind })[] = [];
  const taken = new Uint8Array(original.length);
  const spoken = spokenText(original, language);
  for (const kind of ORDER) {
    if (!kinds.has(kind)) continue;
    for (const found of DETECTORS[kind](kind === 'custom' ? original : spoken.text, context)) {
      const { from, to } = kind === 'custom' ? found : placeOf(found, spoken);
      if (taken.subarray(from, to).includes(1)) continue;
      taken.fill(1, from, to);
      all.push({ from, to, kind });
    }
  }
  return all.sort((a, b) => a.from - b.from);
};

const placeOf = ({ from, to }: Found, spoken: SpokenText): Found => ({ from: spoken.from[from] ?? 0, to: spoken.to[to - 1] ?? 0 });
