import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ProcessorDeclaration } from '../../domain/templates/template.ts';
import type { JsonObject } from '../../json.ts';
import { inspectMedia, namedFailure } from '../media/inspectMedia.ts';
import type { MediaFacts, MediaLimits } from '../media/mediaFacts.ts';
import { type Processor, ProcessorError, type RunContext, type RunReport } from '../processor.ts';
import type { DecodedAudio } from './decodedAudio.ts';
import { decodeFile, encodeChannels } from './decoding.ts';
import { type DecoderCommands, findDecoder } from './engineChoice.ts';
import { isUnspaced, languagesOf } from './languages.ts';
import { inStyle, promptOf as romanianPrompt } from './romanian.ts';
import type { SpeechAnswer } from './speechAnswer.ts';
import type { SpeechRequest, SpeechServer } from './speechServer.ts';
import { TranscriptionWriter } from './transcriptionWriter.ts';
import { type SpokenUtterance, utterancesOf } from './utterances.ts';
import { serverWarnings, vocabularyOf } from './workerTranscription.ts';

export interface HttpTranscriberSettings {
  readonly server: SpeechServer;
  /** Names of the commands that split channels. */
  readonly decoder: DecoderCommands;
  readonly limits: MediaLimits;
}

const NO_DECODER = 'splitStereo needs ffmpeg, which this server does not have. Run "npm run setup" on it.';

/** How a declaration's properties shape the request and its answer. */
export interface Style {
  language(properties: JsonObject): string | null;
  prompt(properties: JsonObject): string | null;
  noSpeechThreshold(properties: JsonObject): number | null;
  finish(utterance: SpokenUtterance, properties: JsonObject): SpokenUtterance | null;
}

/**
 * `language`: a single code is sent to the server; for none, or several, the server detects it. `vad` and `noSpeechThreshold`: segments that the
 * server considers silent are dropped, if it reports the probability.
 */
export const ANY_LANGUAGE: Style = {
  language(properties) {
    const [code, ...others] = languagesOf(properties);
    return code !== undefined && others.length === 0 ? code : null;
  },
  prompt: () => null,
  noSpeechThreshold({ vad, noSpeechThreshold }) {
    if (vad === false) return null;
    return typeof noSpeechThreshold === 'number' ? noSpeechThreshold : 0.5;
  },
  finish: (utterance) => utterance,
};

/** `findReplace` has no effect: such servers have no replacement list. */
const ROMANIAN: Style = { language: () => 'ro', prompt: romanianPrompt, noSpeechThreshold: () => 0.5, finish: inStyle };

/** The pre-recorded transcribers on an OpenAI-compatible server. */
export const httpTranscriber = (declaration: ProcessorDeclaration, settings: HttpTranscriberSettings): Processor => {
  const style = declaration.id === 'romanian-transcriber' ? ROMANIAN : ANY_LANGUAGE;
  return {
    declaration,
    mode: 'batch',
    unavailable: async ({ splitStereo }) => (splitStereo === true && !(await findDecoder(settings.decoder)) ? NO_DECODER : null),
    run: async (context) => {
      const { media } = context;
      if (media && 'failure' in media && media.evident) throw media.failure;
      const decoder = await findDecoder(settings.decoder);
      if (context.properties.splitStereo !== true && (!media || !('facts' in media) || !decoder || isPlain(media.facts)))
        return wholeRun(settings, style, context);
      if (!decoder) throw new ProcessorError('PROCESSOR_TRANSCRIPTION_ERROR', NO_DECODER, true).because('SERVER_INCOMPLETE');
      return decodedRun(settings, style, context, decoder);
    },
  };
};

/** Whether servers take all of the sound at the right time. Many take the first track, whenever it begins, and its first two channels. */
const isPlain = ({ channels, soundTracks, begins, parts }: MediaFacts): boolean =>
  channels <= 2 && soundTracks === 1 && begins < LATE && parts.length === 1;

const LATE = 100;

const wholeRun = async ({ server }: HttpTranscriberSettings, style: Style, context: RunContext): Promise<RunReport> => {
  const { input, properties } = context;
  const size = (await input.size?.()) ?? null;
  const heard = await askServer(server, style, context, { name: 'whole', recording: input.bytes(), size });
  if (!heard) return { processedAudioLength: 0 };
  const writer = new TranscriptionWriter(context);
  const { language, duration } = heard;
  for (const [n, utterance] of heard.utterances.entries()) {
    const warnings = n === heard.utterances.length - 1 ? serverWarnings(properties) : [];
    await writer.write({ ...utterance, language, channel: null, audioEnd: duration, warnings }, server.madeBy(modelOf(properties)));
  }
  return duration === null ? {} : { processedAudioLength: duration };
};

/** The sound of a file, decoded here: left and right each in a request of their own if they are split, in the order of their starts. */
const decodedRun = async (
  settings: HttpTranscriberSettings,
  style: Style,
  context: RunContext,
  decoder: DecoderCommands,
): Promise<RunReport> => {
  const { input, properties } = context;
  const file = await input.file();
  if ((await stat(file)).size === 0) return { processedAudioLength: 0 };
  const split = properties.splitStereo === true;
  const { audio, paths } = await decodedChannels(settings, context, decoder, split);
  const heard: { utterance: SpokenUtterance; channel: number | null; language: string | null }[] = [];
  for (const [channel, path] of paths.entries()) {
    const recording = { name: split ? `channel ${channel}` : 'whole', recording: bytesOf(path), size: (await stat(path)).size };
    const answer = await askServer(settings.server, style, context, recording);
    if (!answer) continue;
    heard.push(...answer.utterances.map((utterance) => ({ utterance, channel: split ? channel : null, language: answer.language })));
  }
  heard.sort((a, b) => (a.utterance.start ?? 0) - (b.utterance.start ?? 0));
  const writer = new TranscriptionWriter(context);
  for (const [n, { utterance, ...about }] of heard.entries()) {
    const warnings = n === heard.length - 1 ? [...audio.warnings, ...serverWarnings(properties)] : [];
    await writer.write({ ...utterance, ...about, audioEnd: audio.length, warnings }, settings.server.madeBy(modelOf(properties)));
  }
  return { processedAudioLength: audio.processed };
};

/** Decodes the recording of a run into one file a channel. */
const decodedChannels = async (
  { limits }: HttpTranscriberSettings,
  { input, media, signal }: RunContext,
  { ffmpeg, ffprobe }: DecoderCommands,
  split: boolean,
): Promise<{ audio: DecodedAudio; paths: readonly string[] }> => {
  const path = await input.file();
  const inspected = media ?? (await inspectMedia(path, ffprobe, signal));
  if ('failure' in inspected) throw await namedFailure(inspected.failure, path, ffprobe, signal);
  const { facts } = inspected;
  const channels = split ? Math.min(2, facts.channels) : 1;
  const audio = decodeFile(ffmpeg, { path, facts, limits, channels, signal });
  const paths = Array.from({ length: channels }, (_, channel) => join(dirname(path), `channel-${channel}.flac`));
  await encodeChannels(ffmpeg, audio, paths, signal);
  return { audio, paths };
};

/** Opened when it is read: an answer that is remembered needs no recording. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

export interface ServerHeard {
  readonly utterances: readonly SpokenUtterance[];
  readonly language: string | null;
  /** Of the recording, in milliseconds; `null` if the server does not say. */
  readonly duration: number | null;
}

/** Has the server transcribe one recording of a run. `null` for a recording without bytes. Rejects with `ProcessorError`. */
export const askServer = async (
  server: SpeechServer,
  style: Style,
  context: RunContext,
  recording: Pick<SpeechRequest, 'name' | 'recording' | 'size'>,
): Promise<ServerHeard | null> => {
  const { properties } = context;
  context.using?.(server.madeBy(modelOf(properties)));
  const answer = await server.transcribe({ ...asking(style, context), ...recording });
  if (!answer) return null;
  const language = languageOf(answer, style, properties);
  return { utterances: spoken(answer, style, properties), language, duration: answer.duration };
};

export const modelOf = ({ model }: JsonObject): string | null => (typeof model === 'string' ? model : null);

const taskOf = ({ task }: JsonObject): SpeechRequest['task'] => (task === 'translate' ? 'translate' : 'transcribe');

/** The style's own prompt, then the words to expect. */
const promptOf = (style: Style, properties: JsonObject): string | null => {
  const parts = [style.prompt(properties), vocabularyOf(properties)].filter((part) => part !== null && part !== '');
  return parts.length === 0 ? null : parts.join(' ');
};

const asking = (style: Style, { properties, signal, memory }: RunContext) => ({
  language: style.language(properties),
  prompt: promptOf(style, properties),
  signal,
  memory,
  model: modelOf(properties),
  task: taskOf(properties),
});

/** As the server detected it, otherwise as requested. A translation is English. */
const languageOf = ({ language }: SpeechAnswer, style: Style, properties: JsonObject): string | null =>
  taskOf(properties) === 'translate' ? 'en' : (language ?? style.language(properties));

const spoken = (answer: SpeechAnswer, style: Style, properties: JsonObject): SpokenUtterance[] => {
  const language = languageOf(answer, style, properties);
  return utterancesOf(answer, { noSpeechThreshold: style.noSpeechThreshold(properties), language }).flatMap((utterance) => {
    const finished = style.finish(utterance, properties);
    if (!finished) return [];
    return isUnspaced(language) ? [finished] : [spaced(finished)];
  });
};

/** Every utterance begins with the space before it. */
const spaced = (utterance: SpokenUtterance): SpokenUtterance => {
  const [first, ...rest] = utterance.words;
  return first && !/^\s/.test(first.text) ? { ...utterance, words: [{ ...first, text: ` ${first.text}` }, ...rest] } : utterance;
};
