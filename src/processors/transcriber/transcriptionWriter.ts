import { MESSAGE_SCHEMAS } from '../../domain/stream/messages.ts';
import type { JsonObject } from '../../json.ts';
import type { ProcessorOutput } from '../processor.ts';
import type { SpokenUtterance, SpokenWord } from './utterances.ts';

export interface MadeBy {
  /** Name and version: `faster-whisper 1.2.1`. */
  readonly engine: string;
  readonly model: string;
}

export interface WrittenUtterance extends SpokenUtterance {
  readonly language: string | null;
  readonly languageProbability?: number | null;
  readonly wordTimes?: 'aligned' | 'estimated';
  /** `null`: the channels were not transcribed by themselves. */
  readonly channel: number | null;
  readonly frameType?: 'partial' | 'final';
  /** Length of the audio so far, in milliseconds; `null` when it is not known. */
  readonly audioEnd: number | null;
  /** Length of the whole recording according to its file, in milliseconds: readers of a running stream compute progress from it. */
  readonly recordingLength?: number | null;
  /** Problems of the audio, for people. */
  readonly warnings?: readonly string[];
}

/** A message is a frame: bounded, whatever the engine calls one utterance. */
const MESSAGE_WORDS = 1_000;

/** Writes an engine's results as Transcription messages, with consistent times. Words keep their speakers, for a later diarization. */
export class TranscriptionWriter {
  readonly #output: ProcessorOutput;
  readonly #times = new HonestTimes();
  #first = true;

  constructor(output: ProcessorOutput) {
    this.#output = output;
  }

  async write(utterance: WrittenUtterance, madeBy: MadeBy): Promise<void> {
    const { channel, audioEnd, frameType = 'final' } = utterance;
    const placed = this.#times.place(utterance, { channel, audioEnd, final: frameType === 'final' });
    for (let at = 0; at === 0 || at < placed.words.length; at += MESSAGE_WORDS) {
      const words = placed.words.slice(at, at + MESSAGE_WORDS);
      const start = at === 0 ? placed.start : (words[0]?.start ?? null);
      const end = at + MESSAGE_WORDS >= placed.words.length ? placed.end : (words.at(-1)?.end ?? null);
      await this.#write({ ...utterance, words, start, end }, madeBy);
    }
  }

  async #write({ words, start, end, language, channel, frameType = 'final', ...rest }: WrittenUtterance, madeBy: MadeBy): Promise<void> {
    const payload = words.map(({ text, speaker, ...word }, n) => ({
      // Only the very first word has no leading space, so that the joined words of all messages are the text.
      word: this.#first && n === 0 ? text.trimStart() : text,
      ...word,
      language,
      metadata: speaker === null ? {} : { engineSpeaker: speaker },
    }));
    if (frameType === 'final' && words.length > 0) this.#first = false;
    await this.#output.message({
      frameType,
      payloadSchema: MESSAGE_SCHEMAS.transcription,
      payload: {
        transcription: payload.map(({ word }) => word).join(''),
        words: payload,
        ...{ start, end, channel: channel === null ? null : String(channel) },
        metadata: metadataOf({ language, ...rest }, madeBy),
        utterance: frameType === 'final',
      },
      headers: {},
    });
  }
}

const metadataOf = (
  {
    language,
    languageProbability,
    wordTimes,
    recordingLength,
    warnings,
  }: Pick<WrittenUtterance, 'language' | 'languageProbability' | 'wordTimes' | 'recordingLength' | 'warnings'>,
  { engine, model }: MadeBy,
): JsonObject => ({
  ...{ engine, model, language },
  ...(typeof languageProbability === 'number' ? { languageProbability } : {}),
  ...(wordTimes ? { wordTimes } : {}),
  ...(typeof recordingLength === 'number' ? { recordingLength } : {}),
  ...(warnings && warnings.length > 0 ? { warnings: [...warnings] } : {}),
});

/**
 * Makes the times of a run true to their promise, for every engine: within a channel, words and utterances are in order, do not overlap, and lie
 * inside the audio. Times that break it are moved as little as possible; a missing time stays missing.
 */
export class HonestTimes {
  /** End of the last final utterance of each channel. */
  readonly #ends = new Map<number | null, number>();

  /** `audioEnd`: milliseconds, `null` when it is not known. A partial utterance leaves no trace: the next one replaces it. */
  place(
    utterance: SpokenUtterance,
    { channel, audioEnd, final = true }: { channel: number | null; audioEnd: number | null; final?: boolean },
  ): SpokenUtterance {
    const least = this.#ends.get(channel) ?? 0;
    const most = Math.max(least, audioEnd ?? Number.POSITIVE_INFINITY);
    const words = ordered(utterance.words, least, most);
    const first = words.find(({ start }) => start !== null)?.start ?? null;
    const last = words.findLast(({ end }) => end !== null)?.end ?? null;
    const start = utterance.start === null ? first : Math.min(clamped(utterance.start, least, most), first ?? most);
    const end = utterance.end === null ? last : Math.max(clamped(utterance.end, start ?? least, most), last ?? least);
    if (final) this.#ends.set(channel, Math.max(least, end ?? start ?? least));
    return { words, start, end };
  }
}

const clamped = (time: number, least: number, most: number): number => Math.min(Math.max(time, least), most);

const ordered = (words: readonly SpokenWord[], least: number, most: number): SpokenWord[] => {
  const following = startsAfter(words);
  let before = least;
  return words.map((word, n) => {
    if (word.start === null || word.end === null) return { ...word, start: null, end: null };
    const start = clamped(word.start, before, most);
    // The next word's start ends this word, unless that start runs backwards.
    const next = following[n] ?? null;
    const end = clamped(word.end, start, next !== null && next > start ? Math.min(next, most) : most);
    before = end;
    return { ...word, start, end };
  });
};

/** For each word the start of the next word that has one. */
const startsAfter = (words: readonly SpokenWord[]): (number | null)[] => {
  const starts: (number | null)[] = [];
  let next: number | null = null;
  for (let n = words.length - 1; n >= 0; n--) {
    starts[n] = next;
    next = words[n]?.start ?? next;
  }
  return starts;
};
