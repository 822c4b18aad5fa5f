import { isJsonObject } from '../../json.ts';
import type { EngineAnswer } from '../engineServer/answer.ts';
import { ProcessorError } from '../processor.ts';
import type { EngineWord } from './alignment.ts';
import { isUnspaced, languageCode } from './languages.ts';
import { wholeWords } from './wholeWords.ts';

/** A segment of a server. Times in milliseconds; missing values are `null`. */
export interface SpeechSegment {
  readonly text: string;
  readonly start: number | null;
  readonly end: number | null;
  readonly speaker: string | null;
  /** Probability of silence. */
  readonly noSpeech: number | null;
  readonly words: readonly EngineWord[];
}

/** The answer of a transcription server, with missing parts. */
export interface SpeechAnswer {
  readonly text: string;
  readonly language: string | null;
  /** Of the audio, in milliseconds. */
  readonly duration: number | null;
  readonly segments: readonly SpeechSegment[];
  /** Of the whole; of segments that hold their own words, those. */
  readonly words: readonly EngineWord[];
}

const rubbish = (what: string) => new ProcessorError('PROCESSOR_TRANSCRIPTION_ERROR', `The speech server answered with ${what}.`);

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields | null => (isJsonObject(value) ? value : null);

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** Seconds as a number or as text, in whole milliseconds; `null` for an invalid time. */
const milliseconds = (value: unknown): number | null => {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value;
  const time = typeof seconds === 'number' ? Math.round(seconds * 1000) : Number.NaN;
  return Number.isSafeInteger(time) && time >= 0 ? time : null;
};

/** Both or neither: an end before its start is invalid. */
const span = ({ start, end }: Fields): { start: number | null; end: number | null } => {
  const from = milliseconds(start);
  const to = milliseconds(end);
  return from === null || to === null || to < from ? { start: null, end: null } : { start: from, end: to };
};

const share = (value: unknown): number | null => (typeof value === 'number' && value >= 0 && value <= 1 ? value : null);

/** Servers use different names for it. It is never invented. */
const confidenceOf = ({ confidence, probability, score }: Fields): number | null => share(confidence) ?? share(probability) ?? share(score);

const speakerOf = ({ speaker }: Fields): string | null => {
  if (typeof speaker === 'string' && speaker.trim() !== '') return speaker.trim().slice(0, 100);
  return typeof speaker === 'number' ? String(speaker) : null;
};

const listOf = (value: unknown, name: string): readonly unknown[] => {
  if (!isPresent(value)) return [];
  if (Array.isArray(value)) return value;
  throw rubbish(`${name} that are no list`);
};

const wordOf = (value: unknown): EngineWord => {
  const fields = fieldsOf(value);
  const text = fields && (fields.word ?? fields.text);
  if (!fields || typeof text !== 'string') throw rubbish('a malformed word');
  return { text, ...span(fields), confidence: confidenceOf(fields), speaker: speakerOf(fields) };
};

const wordsOf = (value: unknown, language: string | null): readonly EngineWord[] => {
  const words = listOf(value, 'words').map(wordOf);
  return isUnspaced(language) ? words : wholeWords(words);
};

const segmentOf = (value: unknown, language: string | null): SpeechSegment => {
  const fields = fieldsOf(value);
  if (!fields || typeof fields.text !== 'string') throw rubbish('a segment without text');
  const { text } = fields;
  const words = wordsOf(fields.words, language);
  return { text, ...span(fields), speaker: speakerOf(fields), noSpeech: share(fields.no_speech_prob), words };
};

const parsed = ({ text, contentType }: EngineAnswer): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Some servers answer with bare text in any case.
    if (contentType === 'text/plain') return { text };
    throw rubbish('text that is not JSON');
  }
};

const lastEnd = (items: readonly { readonly end: number | null }[]): number | null =>
  items.reduce<number | null>((latest, { end }) => (end !== null && end > (latest ?? 0) ? end : latest), null);

/** Reads an answer to a transcription request, with any of its parts missing. Throws `ProcessorError` for another kind of answer. */
export const readSpeechAnswer = (answer: EngineAnswer): SpeechAnswer => {
  const fields = fieldsOf(parsed(answer));
  if (!fields) throw rubbish('something other than a transcription');
  const language = languageCode(fields.language);
  const segments = listOf(fields.segments, 'segments').map((segment) => segmentOf(segment, language));
  const own = segments.flatMap(({ words }) => words);
  const words = own.length > 0 ? own : wordsOf(fields.words, language);
  const { text } = fields;
  if (isPresent(text) ? typeof text !== 'string' : segments.length === 0 && !Array.isArray(fields.words)) {
    throw rubbish('something other than a transcription');
  }
  const duration = milliseconds(fields.duration) ?? milliseconds(fieldsOf(fields.usage)?.seconds);
  return {
    text: typeof text === 'string' ? text : '',
    language,
    duration: duration ?? lastEnd([...segments, ...words]),
    segments,
    words,
  };
};
