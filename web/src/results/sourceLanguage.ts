import type { JsonObject } from '../api/types.ts';

/** The languages that results name; otherwise those that were chosen for the transcription. A translation is English, whatever was spoken. */
export const languagesIn = (
  heard: readonly (string | null | undefined)[],
  chosen: readonly (JsonObject | undefined)[],
): readonly string[] => {
  if (chosen.some((properties) => properties?.task === 'translate')) return ['en'];
  const named = textsOf(heard);
  return named.length > 0 ? named : textsOf(chosen.flatMap((properties) => properties?.language ?? []));
};

const textsOf = (values: readonly unknown[]): readonly string[] => [
  ...new Set(values.filter((value): value is string => typeof value === 'string' && value !== '')),
];

const ENGLISH = /^en(g|glish)?([-_]|$)/i;

/** Words that make up a quarter of most English texts. Those that other languages have too are left out. */
const COMMON = new Set(
  'the and of to is it that was for with this you they have are not be at from we i our will but what there all my your'.split(' '),
);
const FEWEST_WORDS = 12;
// The beginning of a text says enough.
const MOST_TEXTS = 200;
const ENGLISH_SHARE = 0.06;

/**
 * Whether a text seems not to be all in English: by the languages of its speech, if known. Otherwise by its script, and, in Latin script, by how many of
 * the most common English words it has. A short text is not judged by words. A list of English names is taken for another language.
 */
export const isOtherLanguage = (languages: readonly string[], texts: readonly string[]): boolean => {
  if (languages.length > 0) return languages.some((language) => !ENGLISH.test(language));
  const text = texts.slice(0, MOST_TEXTS).join(' ').toLowerCase();
  const letters = text.match(/\p{L}/gu) ?? [];
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter));
  if (latin.length < letters.length / 2) return true;
  const words = text.match(/\p{L}+/gu) ?? [];
  return words.length >= FEWEST_WORDS && words.filter((word) => COMMON.has(word)).length < words.length * ENGLISH_SHARE;
};
