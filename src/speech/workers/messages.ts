import { isJsonObject, jsonObjectIn } from '../../json.ts';
/** A word reported by a worker. Whole milliseconds from the start of the audio. */
export interface WorkerWord {
  /** With the leading space. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** 0..1; `null` if the engine reports none. */
  readonly confidence: number | null;
  /** Identifies a speaker within one run; `null` if unknown. */
  readonly speaker: string | null;
}

/** An utterance. The next utterance of its channel, partial or final, replaces a partial one. */
export interface WorkerUtterance {
  readonly type: 'partial' | 'final';
  readonly channel: number;
  readonly words: readonly WorkerWord[];
  readonly language: string | null;
  /** 0..1, of a language that was detected. */
  readonly languageProbability: number | null;
  readonly wordTimes: 'aligned' | 'estimated';
  /** Whether the words so far do not sound like the only language of the engine. */
  readonly languageUnlikely: boolean;
  /** Whether the engine reads only the beginning of the vocabulary. */
  readonly vocabularyShortened: boolean;
}

export interface WorkerProgress {
  readonly type: 'progress';
  /** Audio handled so far. */
  readonly milliseconds: number;
  /** Of each channel: no later utterance begins before this time. */
  readonly settled: readonly number[];
}

/** What a worker says, a JSON line each. `docs/speech-workers.md` describes the protocol. */
export type WorkerMessage =
  | { readonly type: 'ready'; readonly engine: string }
  | WorkerProgress
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly reason: string }
  | WorkerUtterance;

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields | null => (isJsonObject(value) ? value : null);

const count = (value: unknown): number | null => (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null);
const share = (value: unknown): number | null => (typeof value === 'number' && value >= 0 && value <= 1 ? value : null);
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const wordOf = (value: unknown): WorkerWord | null => {
  const fields = fieldsOf(value);
  const word = text(fields?.text);
  const start = count(fields?.start);
  const end = count(fields?.end);
  if (!fields || word === null || start === null || end === null) return null;
  return { text: word, start, end, confidence: share(fields.confidence), speaker: text(fields.speaker) };
};

const utteranceOf = (type: 'partial' | 'final', fields: Fields): WorkerUtterance | null => {
  const channel = count(fields.channel);
  if (channel === null || !Array.isArray(fields.words)) return null;
  const words = fields.words.map(wordOf);
  const known = words.filter((word) => word !== null);
  if (known.length < words.length) return null;
  return {
    type,
    channel,
    words: known,
    language: text(fields.language),
    languageProbability: share(fields.languageProbability),
    wordTimes: fields.wordTimes === 'aligned' ? 'aligned' : 'estimated',
    languageUnlikely: fields.languageUnlikely === true,
    vocabularyShortened: fields.vocabularyShortened === true,
  };
};

/** One time per channel. `null` if any is invalid: without it, the others would count for the wrong channels. */
const timesOf = (value: unknown): readonly number[] | null => {
  if (!Array.isArray(value)) return null;
  const times = value.map(count).filter((time) => time !== null);
  return times.length < value.length ? null : times;
};

/** `null` for a line that is not part of the protocol. */
export const readWorkerMessage = (line: string): WorkerMessage | null => {
  const fields = jsonObjectIn(line);
  switch (fields?.type) {
    case 'partial':
    case 'final':
      return utteranceOf(fields.type, fields);
    case 'ready': {
      const engine = text(fields.engine);
      return engine === null ? null : { type: 'ready', engine };
    }
    case 'progress': {
      const milliseconds = count(fields.milliseconds);
      const settled = timesOf(fields.settled ?? []);
      return milliseconds === null || settled === null ? null : { type: 'progress', milliseconds, settled };
    }
    case 'failed':
      return { type: 'failed', reason: text(fields.reason) ?? '' };
    case 'done':
      return { type: 'done' };
    default:
      return null;
  }
};

/** What a run asks of a worker. */
export interface WorkerRun {
  readonly mode: 'batch' | 'live';
  readonly channels: number;
  /** Sends partial utterances too; live only. */
  readonly partials: boolean;
  /** Tells speakers apart. */
  readonly speakers: boolean;
  /** Codes of the possible languages. Empty: any. */
  readonly languages: readonly string[];
  /** Words to expect; empty for none. */
  readonly vocabulary: string;
  readonly task: 'transcribe' | 'translate';
  /** Leaves out what is not speech. */
  readonly vad: boolean;
  /** 0..1: audio whose probability of no speech is above it gives no words. */
  readonly noSpeechThreshold: number;
  /** Milliseconds of silence that end an utterance; live only. */
  readonly utteranceEnd: number;
}

export const beginLine = (run: WorkerRun): string => JSON.stringify({ type: 'begin', ...run });

/** 16-bit little-endian samples at 16 kHz, interleaved by channel. */
export const audioLine = (samples: Buffer): string => JSON.stringify({ type: 'audio', data: samples.toString('base64') });

export const END_LINE = JSON.stringify({ type: 'end' });
