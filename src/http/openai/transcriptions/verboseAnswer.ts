import { deflateSync } from 'node:zlib';
import { isAutomatic } from '../../../processors/transcriber/languages.ts';
import type { Utterance, Word } from '../../../results/transcript.ts';
import type { SpeechRequest } from './speechRequest.ts';

const seconds = (milliseconds: number | undefined): number => (milliseconds ?? 0) / 1_000;

/** `TranscriptionSegment` of the OpenAI clients. Token ids and the probability of silence are not known here: an empty list and 0. */
export const segmentOf = ({ start, end, text, words }: Utterance, id: number, { temperature }: SpeechRequest): object => ({
  id,
  seek: 0,
  start: seconds(start),
  end: seconds(end),
  text,
  tokens: [],
  temperature: temperature ?? 0,
  avg_logprob: meanLogProbability(words),
  compression_ratio: compressionRatio(text),
  no_speech_prob: 0,
});

/** A `TranscriptionWord`, without the leading space of our words. */
export const wordOf = ({ word, start, end }: Word): object => ({ word: word.trim(), start: seconds(start), end: seconds(end) });

/** Length of a language code that RFC 5646 recommends to support (section 4.4.1). Looking up a name takes time that grows with the square of the length. */
export const MAX_LANGUAGE_CODE = 35;

/** The language's English name in lower case, as Whisper names it: the one of most words, otherwise the requested one. */
export const languageName = (words: readonly Word[], asked: SpeechRequest['language']): string => {
  const code = mostFrequentLanguage(words) ?? (typeof asked === 'string' && !isAutomatic(asked) ? asked : 'en');
  if (code.length > MAX_LANGUAGE_CODE) return code;
  try {
    return NAMES.of(code)?.toLowerCase() ?? code;
  } catch {
    return code;
  }
};

const NAMES = new Intl.DisplayNames('en', { type: 'language' });

const mostFrequentLanguage = (words: readonly Word[]): string | undefined => {
  const counts = new Map<string, number>();
  for (const { language } of words) if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
  return [...counts].reduce<[string, number] | undefined>((most, one) => (most && most[1] >= one[1] ? most : one), undefined)?.[0];
};

const LEAST_PROBABILITY = 1e-6;
/** Characters that take less than a millisecond. */
const MOST_COMPRESSED = 10_000;

const meanLogProbability = (words: readonly Word[]): number => {
  const logs = words.flatMap(({ confidence }) => (confidence === undefined ? [] : Math.log(Math.max(confidence, LEAST_PROBABILITY))));
  return logs.length === 0 ? 0 : logs.reduce((sum, log) => sum + log, 0) / logs.length;
};

/** As Whisper computes it: length of the text divided by its zlib-compressed length. A segment of Whisper has 30 seconds: the beginning of a longer one counts. */
const compressionRatio = (text: string): number => {
  const bytes = Buffer.from(text.slice(0, MOST_COMPRESSED));
  return bytes.length / deflateSync(bytes).length;
};
