import type { Json } from '../../api/types.ts';

/** The words of an upload: names of saved vocabularies, and words of its own. */
export interface ChosenWords {
  readonly saved: readonly string[];
  readonly words: readonly string[];
}

/** As the setting `vocabulary` has them: `@name` for a saved one. */
export const chosenIn = (value: Json | undefined): ChosenWords => {
  const all = Array.isArray(value) ? value.map(String) : typeof value === 'string' && value !== '' ? [value] : [];
  return {
    saved: all.filter((one) => one.startsWith('@')).map((one) => one.slice(1)),
    words: all.filter((one) => !one.startsWith('@')),
  };
};

/** `undefined` without any. */
export const vocabularyOf = ({ saved, words }: ChosenWords): Json | undefined => {
  const all = [...saved.map((name) => `@${name}`), ...words];
  return all.length === 0 ? undefined : all;
};

/** The words in a text with commas. An `@` at the start of a word is left out: it would make the word the name of a saved vocabulary. */
export const wordsIn = (text: string): readonly string[] =>
  text
    .split(',')
    .map((word) => word.replace(/^[\s@]+/, '').trimEnd())
    .filter(Boolean);

export const hasAt = (text: string): boolean => /(^|,)\s*@/.test(text);

export const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** The setting after a saved vocabulary got another name, or was deleted (`null`). */
export const renamedIn = (value: Json | undefined, before: string, after: string | null): Json | undefined => {
  const { saved, words } = chosenIn(value);
  return vocabularyOf({ saved: saved.flatMap((one) => (isSameName(one, before) ? (after ?? []) : one)), words });
};
