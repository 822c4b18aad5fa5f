import type { ProcessorDeclaration } from '../../domain/templates/template.ts';
import type { JsonObject } from '../../json.ts';
import type { WorkerRun } from '../../speech/workers/messages.ts';
import { type Processor, ProcessorError, type RunContext, type RunReport } from '../processor.ts';
import type { DecodedAudio } from './decodedAudio.ts';
import { decodeLive, type LiveEncoding } from './decoding.ts';
import { type ChosenEngine, chooseEngine, chooseVoiceDetector, needsOf } from './engineChoice.ts';
import { around, firstOf } from './firstOf.ts';
import { languagesOf } from './languages.ts';
import { liveOverServer } from './liveOverServer.ts';
import type { SpeechServer } from './speechServer.ts';
import type { TranscriberSettings } from './transcriber.ts';
import { TranscriptionWriter } from './transcriptionWriter.ts';
import { checkLanguages } from './whisperLanguages.ts';
import { engineWarnings, noSpeechThresholdOf, spokenOf, type Transcribing, transcribing, vocabularyOf } from './workerTranscription.ts';

const WHICH_CHANNELS = 'multichannel needs channels=1 or channels=2: the number must be known before the audio arrives.';
const DEFAULT_UTTERANCE_END = 1_000;

/** A local engine, or a speech server behind the voice detector. */
interface LiveEngine {
  readonly chosen: ChosenEngine;
  readonly server: SpeechServer | null;
}

/**
 * English uses moonshine, the only engine with partial results. Other languages use the speech server if one is set, unless the template names an
 * installed model; otherwise Whisper.
 */
const chooseLive = async (
  { sources }: TranscriberSettings,
  server: SpeechServer | null,
  properties: JsonObject,
): Promise<LiveEngine | string> => {
  const local = await chooseEngine(sources, needsOf(properties, { fixed: null, live: true }));
  if (typeof local === 'string') {
    if (server === null) return local;
  } else if (server === null || local.engine.engine === 'moonshine' || properties.model === local.model) {
    return { chosen: local, server: null };
  }
  const chosen = await chooseVoiceDetector(sources);
  return typeof chosen === 'string' ? chosen : { chosen, server };
};

/**
 * The real-time transcriber. English speech gets partial Transcription messages while it is spoken and a final one after `utteranceEndSilence`;
 * other languages get only final ones. With `multichannel` each channel is transcribed separately.
 */
export const liveTranscriber = (
  declaration: ProcessorDeclaration,
  settings: TranscriberSettings,
  server: SpeechServer | null = null,
): Processor => ({
  declaration,
  mode: 'live',
  holdsEngine: true,
  async unavailable(properties) {
    const engine = await chooseLive(settings, server, properties);
    if (typeof engine === 'string') return engine;
    checkLanguages(engine.chosen, languagesOf(properties));
    return properties.multichannel === true && channelsOf(properties) === null ? WHICH_CHANNELS : null;
  },
  async run(context) {
    // A session without audio uses no engine.
    const found = await firstOf(context.input.bytes());
    if (!found) return { processedAudioLength: 0 };
    const engine = await chooseLive(settings, server, context.properties);
    if (typeof engine === 'string') throw new ProcessorError('PROCESSOR_TRANSCRIPTION_ERROR', engine, true);
    return transcribe(settings, engine, { head: found.first, source: around([found.first], found.rest) }, context);
  },
});

const transcribe = async (
  { workers, limits }: TranscriberSettings,
  { chosen, server }: LiveEngine,
  { head, source }: { readonly head: Uint8Array; readonly source: AsyncIterable<Uint8Array> },
  context: RunContext,
): Promise<RunReport> => {
  const { properties, signal, using } = context;
  const split = properties.multichannel === true;
  const channels = split ? (channelsOf(properties) ?? 1) : 1;
  const bytes = new Awaited(source);
  const { audio, failure } = decodeLive(chosen.ffmpeg, { bytes, head, encoding: encodingOf(properties), channels, limits, signal });
  const writer = new TranscriptionWriter(context);
  const task = { workers, chosen, run: askedOf(properties, chosen, { channels, split }), audio, waiting: () => bytes.waiting, signal };
  try {
    if (server) await liveOverServer({ ...task, server, split, writer, context });
    else await liveOnWorker({ ...task, ...(using && { using }) }, split, writer);
  } catch (error) {
    signal.throwIfAborted();
    throw failure() ?? error;
  }
  return { processedAudioLength: audio.processed };
};

const liveOnWorker = async (task: Transcribing & { readonly audio: DecodedAudio }, split: boolean, writer: TranscriptionWriter) => {
  const { audio, chosen, run } = task;
  for await (const { heard, madeBy } of transcribing(task)) {
    const { type: frameType, language, languageProbability, wordTimes, channel } = heard;
    const about = { frameType, language, languageProbability, wordTimes, channel: split ? channel : null };
    const warnings = [...audio.warnings, ...engineWarnings(chosen, run.vocabulary, heard)];
    await writer.write({ ...spokenOf(heard), ...about, audioEnd: audio.length, warnings }, madeBy);
  }
};

const askedOf = (
  properties: JsonObject,
  { engine }: ChosenEngine,
  { channels, split }: { readonly channels: number; readonly split: boolean },
): WorkerRun => ({
  mode: 'live',
  channels,
  vad: true,
  task: 'transcribe',
  // A channel of its own has one speaker; a speech server answers without them.
  speakers: !split && engine.engine !== 'voice',
  partials: engine.engine === 'moonshine',
  languages: needsOf(properties, { fixed: null, live: true }).languages,
  vocabulary: vocabularyOf(properties),
  noSpeechThreshold: noSpeechThresholdOf(properties),
  utteranceEnd: number(properties.utteranceEndSilence) ?? DEFAULT_UTTERANCE_END,
});

const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** One or two; `null` for any other number, or none. */
const channelsOf = ({ channels }: JsonObject): 1 | 2 | null => (channels === 1 || channels === 2 ? channels : null);

const encodingOf = ({ encoding, sampleRate, channels }: JsonObject): LiveEncoding => ({
  encoding: typeof encoding === 'string' ? encoding : null,
  sampleRate: number(sampleRate),
  channels: number(channels),
});

/** Knows whether the next bytes have yet to arrive. */
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
