import type { Transcription } from '../../domain/stream/messages.ts';
import { isJsonObject, type Json, type JsonObject, memberOf } from '../../json.ts';
import { ProcessorError, type ProcessorInput, type RunReport } from '../processor.ts';
import type { Pace } from './pace.ts';

/** A piece of text with its place in the audio: an utterance of a transcription or a sentence of plain text. */
export interface Passage {
  readonly text: string;
  /** Milliseconds; `null` in plain text. */
  readonly start: number | null;
  readonly end: number | null;
  /** Number of the audio channel; `null` if unknown. */
  readonly channel: number | null;
  /** The speaker, if diarized; otherwise empty. */
  readonly speakers: readonly string[];
  /** Names that people gave to speakers, by id. Absent without any. */
  readonly speakerNames?: JsonObject;
  /** The message that holds the text, if requested; `null` for plain text. */
  readonly source: Transcription | null;
}

/** Limit of the text, which is held in memory: about two days of speech. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
const MAX_PASSAGES = 100_000;
/** In characters. The score of a longer text is the mean of its sentences. */
export const LONGEST_SENTENCE = 2_000;

const tooLong = () =>
  new ProcessorError('PROCESSOR_GENERAL_ERROR', `The text is longer than this server takes (${MAX_TEXT_BYTES / 1_048_576} MiB).`).because(
    'TOO_LONG',
  );

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'sentence' });
const ABBREVIATION = /(^|\s)(Mr|Mrs|Ms|Dr|Prof|St|vs|e\.g|i\.e)\.\s*$/;

/** Piece size for the segmenter, whose time grows with the square of its input. */
const BLOCK = 4_000;

/** The text from `at` to `end` with wrapped lines joined. The text after `end` shows whether the last line was wrapped. */
const unwrapped = (text: string, at: number, end: number): string => {
  const joined = text.slice(at, end + 1).replace(/\r?\n(?=\p{Ll})/gu, ' ');
  return end < text.length ? joined.slice(0, -1) : joined;
};

/** Segments of a text, block by block. A segment cut by the end of a block begins the next one. */
function* segmentsOf(text: string): Generator<readonly string[]> {
  let begun = '';
  for (let at = 0; at < text.length; ) {
    // Do not split a two-character line end.
    const end = text[at + BLOCK - 1] === '\r' ? at + BLOCK + 1 : at + BLOCK;
    const segments = Array.from(SEGMENTER.segment(begun + unwrapped(text, at, end)), ({ segment }) => segment);
    begun = end < text.length && segments.length > 1 ? (segments.pop() ?? '') : '';
    yield segments;
    at = end;
  }
}

/** Cuts at spaces, so that no piece exceeds the limit. */
const cut = (text: string, longest: number): string[] => {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > longest) {
    const space = rest.lastIndexOf(' ', longest);
    const at = space > 0 ? space : longest;
    pieces.push(rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  return rest === '' ? pieces : [...pieces, rest];
};

/** The sentences that end in each block of the text. */
function* batchesOf(text: string, longest: number): Generator<readonly string[]> {
  let begun = '';
  for (const segments of segmentsOf(text)) {
    const sentences: string[] = [];
    for (const segment of segments) {
      begun += segment;
      if (ABBREVIATION.test(segment)) continue;
      sentences.push(...cut(begun.trim(), longest));
      begun = '';
    }
    yield sentences;
  }
  yield cut(begun.trim(), longest);
}

/** Trimmed, non-empty sentences. A line that continues in lower case was only wrapped. */
export async function* pacedSentences(text: string, longest: number, pace: Pace): AsyncGenerator<string> {
  for (const sentences of batchesOf(text, longest)) {
    // A block may have no sentence at all.
    await pace();
    for (const sentence of sentences) {
      await pace();
      yield sentence;
    }
  }
}

/** Rejects with `ProcessorError` for text that is not UTF-8 or too long. */
const textOf = async (input: ProcessorInput): Promise<string> => {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  const decode = (data?: Uint8Array) => {
    try {
      return data ? decoder.decode(data, { stream: true }) : decoder.decode();
    } catch {
      const message = 'The data are not UTF-8 text. Save the file as UTF-8 and upload it again.';
      throw new ProcessorError('PROCESSOR_GENERAL_ERROR', message).because('NOT_TEXT');
    }
  };
  for await (const data of input.bytes()) {
    bytes += data.byteLength;
    if (bytes > MAX_TEXT_BYTES) throw tooLong();
    text += decode(data);
  }
  return text + decode();
};

const millisecondsOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

const channelOf = (value: unknown): number | null => (typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : null);

/** The speaker of the first attributed word. */
const speakersOf = (transcription: Json): string[] => {
  const words = memberOf(transcription, 'words');
  const told = Array.isArray(words) ? words.map((word) => memberOf(memberOf(word, 'metadata'), 'speakers')) : [];
  return [...new Set(told.flatMap((speakers) => (Array.isArray(speakers) ? speakers : [])))].filter((one) => typeof one === 'string');
};

const namesOf = (transcription: Json): Pick<Passage, 'speakerNames'> => {
  const speakerNames = memberOf(memberOf(transcription, 'metadata'), 'speakerNames');
  return isJsonObject(speakerNames) ? { speakerNames } : {};
};

const passageOf = (transcription: Json, withSource: boolean): Passage => {
  const text = memberOf(transcription, 'transcription');
  return {
    text: typeof text === 'string' ? text.trim() : '',
    start: millisecondsOf(memberOf(transcription, 'start')),
    end: millisecondsOf(memberOf(transcription, 'end')),
    channel: channelOf(memberOf(transcription, 'channel')),
    speakers: speakersOf(transcription),
    ...namesOf(transcription),
    // Safe cast: the transcribers wrote the message.
    source: withSource && typeof text === 'string' ? (transcription as unknown as Transcription) : null,
  };
};

const isPlainText = ({ schema }: ProcessorInput): boolean => schema === 'string' || schema === 'bytes';

/** For a run without prompts: checks that text input is UTF-8 and writes nothing. Rejects with `ProcessorError`. */
export const withoutPrompt = async (input: ProcessorInput): Promise<RunReport> => {
  if (isPlainText(input)) await textOf(input);
  return { description: 'Stream has no prompt enabled' };
};

/**
 * All passages of the input; with `withSource` also the messages they come from. Rejects with `ProcessorError` for text that is not UTF-8 or too
 * long, and with the rejection of `pace`.
 */
export const readPassages = async (input: ProcessorInput, pace: Pace, withSource = false): Promise<Passage[]> => {
  const passages: Passage[] = [];
  let length = 0;
  const add = (passage: Passage) => {
    length += passage.text.length;
    if (length > MAX_TEXT_BYTES || passages.length >= MAX_PASSAGES) throw tooLong();
    if (passage.text !== '') passages.push(passage);
  };
  if (isPlainText(input)) {
    for await (const text of pacedSentences(await textOf(input), LONGEST_SENTENCE, pace)) {
      add({ text, start: null, end: null, channel: null, speakers: [], source: null });
    }
  } else {
    for await (const { payload } of input.messages()) {
      await pace();
      add(passageOf(payload, withSource));
    }
  }
  return passages;
};
