import { ProcessorError } from '../processor.ts';

/** What a recording turns out to be before anything decodes it. */
export interface MediaFacts {
  /** Of the first audio track, in hertz. */
  readonly sampleRate: number;
  readonly channels: number;
  /** Decoded length; `null` when the file does not tell. */
  readonly milliseconds: number | null;
}

export interface MediaLimits {
  /** MEDIA_MAX_SECONDS. */
  readonly maxSeconds: number;
}

/** Speech needs more, and 200 kB at 10 Hz would be hours of work for an engine. */
const MIN_SAMPLE_RATE = 4_000;

const refused = (message: string) => new ProcessorError('PROCESSOR_TRANSCODING_ERROR', message);

/** Throws PROCESSOR_TRANSCODING_ERROR for a sample rate under 4,000 Hz and for a recording that is too long. */
export const checkMedia = ({ sampleRate, milliseconds }: MediaFacts, { maxSeconds }: MediaLimits): void => {
  if (sampleRate < MIN_SAMPLE_RATE) {
    throw refused(`The recording has a sample rate of ${sampleRate} Hz. Send at least ${MIN_SAMPLE_RATE} Hz.`);
  }
  if (milliseconds !== null && milliseconds > maxSeconds * 1_000) {
    throw refused(`The recording lasts ${Math.ceil(milliseconds / 1_000)} seconds. Send at most ${maxSeconds} (MEDIA_MAX_SECONDS).`);
  }
};

/** Recordings above this wait in the lane for long runs. */
const LONG_MILLISECONDS = 120_000;

/** `null` when the length is unknown. */
export const isLongMedia = (facts: MediaFacts | null): boolean | null =>
  facts?.milliseconds == null ? null : facts.milliseconds > LONG_MILLISECONDS;

const BASE_MILLISECONDS = 300_000;
/** Engines on a slow machine take longer than the recording lasts. */
const TIMES_LENGTH = 5;

/** How long a run on this recording may take, in milliseconds. One of unknown length may take as long as the longest. */
export const runTimeFor = (facts: MediaFacts | null, { maxSeconds }: MediaLimits): number =>
  BASE_MILLISECONDS + TIMES_LENGTH * (facts?.milliseconds ?? maxSeconds * 1_000);
