import type { JsonObject } from '../../json.ts';
import { LETTERS_AND_BETWEEN } from './alignment.ts';
import type { SpokenUtterance, SpokenWord } from './utterances.ts';

/** Hesitation sounds that are not Romanian words. */
const HESITATION = /^(?:[ăî]+[hm]*|h?m{2,}|hm|mhm+|a{3,}|e{3,}|u+h+m*|u+m+h*)$/;

/** Servers imitate the style of a prompt: these hold hesitations, and numbers in words. */
const WITH_HESITATIONS = 'Ăă, deci, îî, stai puțin, hmm, nu mai știu.';
const NUMBERS_IN_WORDS = 'Avem douăzeci și trei de mere și o sută cinci pere.';

/** Prompt for the style of the text, best effort; `null` for none. */
export const promptOf = ({ disfluencies, numeralsConversion }: JsonObject): string | null => {
  const examples = [...(disfluencies === true ? [WITH_HESITATIONS] : []), ...(numeralsConversion === false ? [NUMBERS_IN_WORDS] : [])];
  return examples.length === 0 ? null : examples.join(' ');
};

const bare = (text: string): string => LETTERS_AND_BETWEEN.exec(text.toLowerCase())?.[0] ?? '';

/** Lower case without punctuation, except inside a word (hyphens, apostrophes, decimal points). `null` if nothing is left. */
const plain = (word: SpokenWord): SpokenWord | null => {
  const text = bare(word.text);
  return text === '' ? null : { ...word, text: /^\s/.test(word.text) ? ` ${text}` : text };
};

/**
 * Does to the words what the platform can do by itself: takes hesitations out, and punctuation and capitals when they are not wanted. An
 * utterance of which nothing is left is `null`.
 */
export const inStyle = (utterance: SpokenUtterance, properties: JsonObject): SpokenUtterance | null => {
  const { disfluencies, punctuationCapitalization } = properties;
  const kept = disfluencies === true ? utterance.words : utterance.words.filter(({ text }) => !HESITATION.test(bare(text)));
  const words = punctuationCapitalization === false ? kept.map(plain).filter((word) => word !== null) : kept;
  return words.length === 0 ? null : { ...utterance, words };
};
