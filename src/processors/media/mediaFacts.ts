import { ProcessorError } from '../processor.ts';
import type { FilePart } from './joinedFiles.ts';

/** Facts about a recording, known before it is decoded. */
export interface MediaFacts {
  /** Sample rate of the default sound track, in hertz. */
  readonly sampleRate: number;
  readonly channels: number;
  /** Length that the file itself states, in milliseconds. `null` if it states none: an estimate does not count. */
  readonly milliseconds: number | null;
  /** Index of the default sound track among all tracks of the file. */
  readonly track: number;
  /** Number of sound tracks. */
  readonly soundTracks: number;
  /** Milliseconds from the beginning of the file to that of the track. */
  readonly begins: number;
  /** The decoder reads joined MP3 files as one, and complains at each joint. */
  readonly hasJoints?: true;
  /** Recordings that are joined in the file, in order. */
  readonly parts: readonly FilePart[];
  /** Bytes behind the last one; negative if its end is missing. */
  readonly rest: number;
}

export interface MediaLimits {
  /** MEDIA_MAX_SECONDS. */
  readonly maxSeconds: number;
}

/** Speech needs more than this, and 200 kB at 10 Hz would be hours of work for an engine. */
const MIN_SAMPLE_RATE = 4_000;

const refused = (message: string) => new ProcessorError('PROCESSOR_TRANSCODING_ERROR', message);

export const tooLong = (lasts: string, { maxSeconds }: MediaLimits): ProcessorError =>
  refused(`The recording lasts ${lasts} seconds. Send at most ${maxSeconds} (MEDIA_MAX_SECONDS).`).because('TOO_LONG');

/**
 * Throws PROCESSOR_TRANSCODING_ERROR for a sample rate under 4,000 Hz and for a recording that states a length above the limit. A recording that
 * states none is measured while it is decoded.
 */
export const checkMedia = ({ sampleRate, milliseconds }: MediaFacts, limits: MediaLimits): void => {
  if (sampleRate < MIN_SAMPLE_RATE) {
    throw refused(`The recording has a sample rate of ${sampleRate} Hz. Send at least ${MIN_SAMPLE_RATE} Hz.`);
  }
  if (milliseconds !== null && milliseconds > limits.maxSeconds * 1_000) throw tooLong(String(Math.ceil(milliseconds / 1_000)), limits);
};

/** Longer recordings go to the lane for long runs. */
const LONG_MILLISECONDS = 120_000;

/** `null` when the length is unknown. */
export const isLongMedia = (facts: Pick<MediaFacts, 'milliseconds'> | null): boolean | null =>
  facts?.milliseconds == null ? null : facts.milliseconds > LONG_MILLISECONDS;

const BASE_MILLISECONDS = 300_000;
/** Engines on a slow machine take longer than the recording. */
const TIMES_LENGTH = 5;

/** Longest duration of a run on this recording, in milliseconds. For an unknown length, that of the longest recording. */
export const runTimeFor = (facts: Pick<MediaFacts, 'milliseconds'> | null, { maxSeconds }: MediaLimits): number =>
  BASE_MILLISECONDS + TIMES_LENGTH * (facts?.milliseconds ?? maxSeconds * 1_000);
