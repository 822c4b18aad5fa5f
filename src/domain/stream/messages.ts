import type { JsonObject } from '../../json.ts';

const PREFIX = 'tech.vatis.schema.stream.processor.messages.';

/**
 * Fully qualified names of what topics carry. `bytes` and `string` (UTF-8 text) are raw frames, the others JSON messages. Part of the public interface:
 * clients compare them literally.
 */
export const MESSAGE_SCHEMAS = {
  bytes: 'bytes',
  string: 'string',
  transcription: `${PREFIX}transcription.TranscriptionResponseDto`,
  diarization: `${PREFIX}diarization.DiarizationResponseDto`,
  llm: `${PREFIX}llm.LlmResponseDto`,
} as const;

/** Times in milliseconds from the start of the audio. Words keep their leading spaces, so that joined words are the text. */
export interface TranscribedWord {
  word: string;
  start: number | null;
  end: number | null;
  /** 0..1; `null` if the engine reports none. */
  confidence: number | null;
  language: string | null;
  /** `speakers` and `speakersOverlap` are present after diarization. */
  metadata: JsonObject;
}

/** One utterance. */
export interface Transcription {
  transcription: string;
  words: TranscribedWord[];
  start: number | null;
  end: number | null;
  metadata: JsonObject;
  /** `"0"` or `"1"` for split audio, otherwise `null`. */
  channel: string | null;
  /** Whether this message is a whole utterance. */
  utterance: boolean;
}

export interface Diarization {
  speakerIds: string[];
  overlap: boolean;
  start: number;
  end: number;
  metadata: JsonObject;
}

export type Sentiment = 'negative' | 'neutral' | 'positive';

/** `score` -1..1, unrounded; positive from +0.33, negative from -0.33, bounds included. `channel` only for split audio. */
export interface SentimentSegment {
  text: string;
  sentiment: Sentiment;
  channel?: number;
  startTime: number | null;
  endTime: number | null;
  score: number;
}

export interface SentimentCounts {
  negativeCount: number;
  positiveCount: number;
  neutralCount: number;
  averageScore: number;
  sentiment: Sentiment;
}

export interface SentimentSummary extends SentimentCounts {
  channels?: (SentimentCounts & { channel: number })[];
}

/** An answer of the llm processor: exactly one of the last four members. */
export interface LlmMessage {
  promptId: string | null;
  sequenceId: number;
  /** The requested JSON Schema as text, or `null`. */
  responseFormatSpecification: string | null;
  summary?: { content: string }[];
  askAnything?: { content: string }[];
  sentimentAnalysis?: SentimentSegment[];
  sentimentAnalysisSummary?: SentimentSummary;
  /** `engine` is `extractive` or `lexicon` in offline mode. */
  metadata: JsonObject;
}

const BOUND = 0.33;
/** More than adding up thousands of scores in binary floating point may lose, and less than the difference of two scores. */
const HAIR = 1e-12;

export const sentimentOf = (score: number): Sentiment => (score >= BOUND ? 'positive' : score <= -BOUND ? 'negative' : 'neutral');

/**
 * The mean of `count` scores, 0 if there are none. Rounds to a bound that it misses by a rounding error: 0.3 and 0.36 add up to 0.32999999999999996.
 */
export const meanScore = (sum: number, count: number): number => {
  const mean = count === 0 ? 0 : sum / count;
  const bound = Math.sign(mean) * BOUND;
  return Math.abs(mean - bound) < HAIR ? bound : mean;
};
