import type { ProcessorDeclaration } from '../../domain/templates/template.ts';
import type { JsonObject } from '../../json.ts';
import { type Processor, ProcessorError, type RunContext, type RunReport } from '../processor.ts';
import { ChannelMerge } from './channelMerge.ts';
import { decodeLive, type LiveEncoding } from './decoding.ts';
import { HeardWriter } from './heardWriter.ts';
import { understands } from './languages.ts';
import { EngineRun, fifosIn, type Listening, type Recording } from './listening.ts';
import { DEBIAN_COMMANDS, findPocketSphinx } from './pocketSphinx.ts';
import type { TranscriberSettings } from './transcriber.ts';

const OTHER_LANGUAGE = 'The live speech engine understands English only: other languages need a pre-recorded template and TRANSCRIBER_URL.';
const WHICH_CHANNELS =
  'multichannel needs channels=1 or channels=2 with the live speech engine: how many there are has to be known before the audio comes.';

/** The declaration has no threshold of its own: the one that the pre-recorded transcriber has by default. */
const NO_SPEECH_THRESHOLD = 0.5;

/**
 * The real-time transcriber on PocketSphinx: one final Transcription message an utterance, as soon as the speaker has paused, while bytes
 * still arrive. The engine gives nothing before the end of an utterance, so there are no partial messages. Properties: `language` (English
 * only), `utteranceEndSilence` (at least 100 ms), `encoding`, `sampleRate`, `channels` (`LiveEncoding`), `multichannel` (a recogniser a channel,
 * each utterance as soon as it is heard; one or two, told by `channels`).
 */
export const liveTranscriber = (declaration: ProcessorDeclaration, settings: TranscriberSettings): Processor => {
  const find = () => findPocketSphinx(settings.commands ?? DEBIAN_COMMANDS, settings.grammar);
  return {
    declaration,
    mode: 'live',
    holdsEngine: true,
    async unavailable(properties) {
      const engine = await find();
      if (typeof engine === 'string') return engine;
      if (!understands(properties)) return OTHER_LANGUAGE;
      return properties.multichannel === true && channelsOf(properties) === null ? WHICH_CHANNELS : null;
    },
    async run(context) {
      const first = await firstBytes(context.input.bytes());
      if (!first) return { processedAudioLength: 0 };
      const engine = await find();
      if (typeof engine === 'string') throw new ProcessorError('PROCESSOR_TRANSCRIPTION_ERROR', engine, true);
      const listening = { engine, clock: settings.clock, stallMilliseconds: settings.stallMilliseconds ?? 60_000 };
      return transcribe(listening, first, context);
    },
  };
};

const transcribe = async (listening: Listening, source: AsyncIterable<Uint8Array>, context: RunContext): Promise<RunReport> => {
  const { properties, input, output, signal } = context;
  const split = properties.multichannel === true;
  const writer = new HeardWriter(output, { split, noSpeechThreshold: NO_SPEECH_THRESHOLD });
  const fifos = fifosIn(await input.folder(), split ? (channelsOf(properties) ?? 1) : 1);
  const bytes = new Awaited(source);
  const encoding = encodingOf(properties);
  const recording: Recording = {
    decode: (outputs, onProgress, over) => decodeLive(listening.engine.ffmpeg, bytes, { encoding, outputs }, onProgress, over),
    waiting: () => bytes.waiting,
  };
  const run = new EngineRun(listening, new ChannelMerge(fifos.length, false), (utterance) => writer.write(utterance), signal);
  return { processedAudioLength: await run.listen(recording, fifos, { vad: true, pause: number(properties.utteranceEndSilence) }) };
};

const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** One or two, `null` for any other number and for none. */
const channelsOf = ({ channels }: JsonObject): 1 | 2 | null => (channels === 1 || channels === 2 ? channels : null);

const encodingOf = ({ encoding, sampleRate, channels }: JsonObject): LiveEncoding => ({
  encoding: typeof encoding === 'string' ? encoding : null,
  sampleRate: number(sampleRate),
  channels: number(channels),
});

/** All of the bytes once there is one; `null` when they end before. So a session that says nothing costs no engine. */
const firstBytes = async (bytes: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array> | null> => {
  const rest = bytes[Symbol.asyncIterator]();
  let first = await rest.next();
  while (!first.done && first.value.byteLength === 0) first = await rest.next();
  return first.done ? null : resumed(first.value, rest);
};

async function* resumed(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** Knows whether the next bytes are being waited for. */
class Awaited implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterable<Uint8Array>;
  waiting = true;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for await (const data of this.#source) {
      this.waiting = false;
      yield data;
      this.waiting = true;
    }
    this.waiting = false;
  }
}
