import { MESSAGE_SCHEMAS } from '../../domain/stream/messages.ts';
import type { Warning } from '../../domain/stream/warnings.ts';
import type { JsonObject } from '../../json.ts';
import type { ProcessorOutput, RunContext } from '../processor.ts';
import { HonestTimes } from './honestTimes.ts';
import { Replacements } from './replacements.ts';
import type { SpokenUtterance } from './utterances.ts';

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
  readonly warnings?: readonly Warning[];
}

/** A message is a frame: bounded, whatever the engine calls one utterance. */
const MESSAGE_WORDS = 1_000;

/**
 * Writes an engine's results as Transcription messages, with consistent times and the replacements of the properties. Words keep their speakers, for a
 * later diarization.
 */
export class TranscriptionWriter {
  readonly #output: ProcessorOutput;
  readonly #times = new HonestTimes();
  readonly #replacements: Replacements;
  #first = true;

  constructor({ output, properties }: Pick<RunContext, 'output' | 'properties'>) {
    this.#output = output;
    this.#replacements = new Replacements(properties);
  }

  async write(utterance: WrittenUtterance, madeBy: MadeBy): Promise<void> {
    const { channel, audioEnd, frameType = 'final' } = utterance;
    const words = this.#replacements.apply(utterance.words);
    const placed = this.#times.place({ ...utterance, words }, { channel, audioEnd, final: frameType === 'final' });
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
        start,
        end,
        channel: channel === null ? null : String(channel),
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
  engine,
  model,
  language,
  ...(typeof languageProbability === 'number' ? { languageProbability } : {}),
  ...(wordTimes ? { wordTimes } : {}),
  ...(typeof recordingLength === 'number' ? { recordingLength } : {}),
  ...(warnings && warnings.length > 0 ? { warnings: warnings.map((warning) => ({ ...warning })) } : {}),
});
