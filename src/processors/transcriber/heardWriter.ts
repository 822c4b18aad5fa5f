import { MESSAGE_SCHEMAS, type Transcription } from '../../domain/stream/messages.ts';
import type { ProcessorOutput } from '../processor.ts';
import type { ChannelUtterance } from './channelMerge.ts';
import { isNoSpeech } from './utterance.ts';

/** An utterance may be as long as the audio; a message may not: frames are bounded. */
const MESSAGE_WORDS = 1_000;

/** Writes what the offline engine has heard as Transcription messages, final ones. What counts as no speech is left out. */
export class HeardWriter {
  readonly #output: ProcessorOutput;
  readonly #how: { readonly split: boolean; readonly noSpeechThreshold: number };
  #first = true;

  constructor(output: ProcessorOutput, how: { readonly split: boolean; readonly noSpeechThreshold: number }) {
    this.#output = output;
    this.#how = how;
  }

  async write(utterance: ChannelUtterance): Promise<void> {
    if (isNoSpeech(utterance, this.#how.noSpeechThreshold)) return;
    for (let at = 0; at < utterance.words.length; at += MESSAGE_WORDS) {
      const words = utterance.words.slice(at, at + MESSAGE_WORDS);
      await write(this.#output, transcriptionOf({ ...utterance, words }, this.#how.split, this.#first));
      this.#first = false;
    }
  }
}

const transcriptionOf = ({ words, channel }: ChannelUtterance, split: boolean, first: boolean): Transcription => {
  const spaced = words.map((word, n) => ({
    // Only the very first word of all has no space before it: joined without separator, the words of all messages give the text.
    word: first && n === 0 ? word.text : ` ${word.text}`,
    start: word.start,
    end: word.end,
    confidence: word.confidence,
    language: 'en',
    metadata: {},
  }));
  return {
    transcription: spaced.map((word) => word.word).join(''),
    words: spaced,
    start: words[0]?.start ?? null,
    end: words.at(-1)?.end ?? null,
    metadata: { engine: 'pocketsphinx' },
    channel: split ? String(channel) : null,
    utterance: true,
  };
};

const write = (output: ProcessorOutput, { words, ...transcription }: Transcription): Promise<void> =>
  output.message({
    frameType: 'final',
    payloadSchema: MESSAGE_SCHEMAS.transcription,
    payload: { ...transcription, words: words.map((word) => ({ ...word })) },
    headers: {},
  });
