import { MESSAGE_SCHEMAS } from '../../domain/stream/messages.ts';
import type { ProcessorOutput } from '../processor.ts';
import type { SpokenUtterance } from './utterances.ts';

/** Writes what a server has heard as Transcription messages. What it told of speakers stays with the words, for a diarization behind it. */
export class TranscriptionWriter {
  readonly #output: ProcessorOutput;
  #first = true;

  constructor(output: ProcessorOutput) {
    this.#output = output;
  }

  async write({ words, start, end }: SpokenUtterance, language: string | null, channel: number | null = null): Promise<void> {
    const payload = words.map(({ text, speaker, ...word }, n) => ({
      // Only the very first word of all has no space before it: joined without separator, the words of all messages give the text.
      word: this.#first && n === 0 ? text.trimStart() : text,
      ...word,
      language,
      metadata: speaker === null ? {} : { engineSpeaker: speaker },
    }));
    this.#first = false;
    await this.#output.message({
      frameType: 'final',
      payloadSchema: MESSAGE_SCHEMAS.transcription,
      payload: {
        transcription: payload.map(({ word }) => word).join(''),
        words: payload,
        ...{ start, end, channel: channel === null ? null : String(channel) },
        metadata: { engine: 'speech-server' },
        utterance: true,
      },
      headers: {},
    });
  }
}
