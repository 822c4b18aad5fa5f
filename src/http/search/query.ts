import { Problem } from '../../domain/problem.ts';
import { type FullTextQuery, type Phrase, phraseOf } from '../../stores/fullText/phrases.ts';

/** A phrase in quotes or a word, with the `-` before and the `*` after it. A quote that is not closed ends with the query. */
const ITEM = /(?<minus>(?<=^|\s)-)?(?:"(?<quoted>[^"]*)(?:"|$)|(?<word>[^\s"]+))/g;
const TYPOGRAPHIC_QUOTES = /[“”„«»]/g;
/** Letters before the `*`. The beginning of a word that is shorter matches too many words. */
const SHORTEST_BEGINNING = 2;

/** Reads `words "a phrase" -without pref*`. Throws 400 if there is nothing to find. */
export const parseQuery = (q: string): FullTextQuery => {
  const all = new Map<string, Phrase>();
  const none = new Map<string, Phrase>();
  for (const { groups = {} } of q.normalize('NFC').replace(TYPOGRAPHIC_QUOTES, '"').matchAll(ITEM)) {
    const { minus, quoted, word = '' } = groups;
    const phrase = phraseOf(quoted ?? word, quoted === undefined && word.endsWith('*'));
    if (phrase) (minus === undefined ? all : none).set(JSON.stringify(phrase), longEnough(phrase, word));
  }
  if (all.size === 0)
    throw new Problem('GENERAL_VALIDATION_ERROR', 'q has no word to find. Give at least one word or phrase that is not excluded by `-`.');
  return { all: [...all.values()], none: [...none.values()] };
};

const longEnough = (phrase: Phrase, given: string): Phrase => {
  const last = phrase.words.at(-1) ?? '';
  if (!phrase.prefix || !given.endsWith('*') || last.length >= SHORTEST_BEGINNING) return phrase;
  if (phraseOf(last, false)?.prefix) return phrase;
  throw new Problem(
    'GENERAL_VALIDATION_ERROR',
    `${given} matches too many words. Give at least ${SHORTEST_BEGINNING} letters before the *.`,
  );
};
