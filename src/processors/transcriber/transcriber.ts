import { stat } from 'node:fs/promises';
import type { Clock } from '../../clock.ts';
import { MESSAGE_SCHEMAS, type Transcription } from '../../domain/messages.ts';
import type { ProcessorDeclaration } from '../../domain/template.ts';
import type { JsonObject } from '../../json.ts';
import { type Processor, ProcessorError, type ProcessorOutput, type RunContext, type RunReport } from '../processor.ts';
import type { ChannelUtterance } from './channelMerge.ts';
import { countChannels } from './decoding.ts';
import { EngineRun, fifosBeside } from './listening.ts';
import { DEBIAN_COMMANDS, type EngineCommands, findPocketSphinx, type PocketSphinx } from './pocketSphinx.ts';
import { isNoSpeech } from './utterance.ts';

export interface TranscriberSettings {
  readonly clock: Clock;
  /** Path of a JSGF file, or `null` for free speech. */
  readonly grammar: string | null;
  readonly commands?: EngineCommands;
  readonly stallMilliseconds?: number;
}

/** An utterance may be as long as the audio (`vad` false); a message may not: frames are bounded. */
const MESSAGE_WORDS = 1_000;

const isEnglish = (code: unknown): boolean => typeof code === 'string' && /^(en|eng|english)([-_].*)?$/i.test(code);

/** The offline engine knows English only; a list means that any of its languages may be spoken. */
const understands = ({ language }: JsonObject): boolean => {
  if (language === undefined || language === null) return true;
  return (Array.isArray(language) ? language : [language]).every(isEnglish);
};

/**
 * The pre-recorded transcriber on PocketSphinx, offline: one Transcription message an utterance, in the order of their starts. Properties:
 * `language` (English only), `vad` (false: silence is heard too, all in one utterance), `noSpeechThreshold` (`isNoSpeech`), `splitStereo` (a
 * recogniser for each of left and right; audio of one channel has channel "0" alone).
 */
export const transcriberProcessor = (declaration: ProcessorDeclaration, settings: TranscriberSettings): Processor => {
  const find = () => findPocketSphinx(settings.commands ?? DEBIAN_COMMANDS, settings.grammar);
  return {
    declaration,
    mode: 'batch',
    async unavailable(properties) {
      const engine = await find();
      if (typeof engine === 'string') return engine;
      return understands(properties)
        ? null
        : 'The offline speech engine understands English only: set TRANSCRIBER_URL for other languages.';
    },
    async run(context) {
      const engine = await find();
      if (typeof engine === 'string') throw new ProcessorError('PROCESSOR_TRANSCRIPTION_ERROR', engine, true);
      const listening = { engine, clock: settings.clock, stallMilliseconds: settings.stallMilliseconds ?? 60_000 };
      return transcribe(listening, context);
    },
  };
};

interface Engine {
  readonly engine: PocketSphinx;
  readonly clock: Clock;
  readonly stallMilliseconds: number;
}

const transcribe = async (listening: Engine, { properties, input, output, signal }: RunContext): Promise<RunReport> => {
  const file = await input.file();
  if ((await stat(file)).size === 0) return { processedAudioLength: 0 };
  const split = properties.splitStereo === true;
  const channels = Math.min(2, await countChannels(listening.engine.ffprobe, file, signal));
  const threshold = typeof properties.noSpeechThreshold === 'number' ? properties.noSpeechThreshold : 0.5;
  let first = true;
  const take = async (utterance: ChannelUtterance) => {
    if (isNoSpeech(utterance, threshold)) return;
    for (let at = 0; at < utterance.words.length; at += MESSAGE_WORDS) {
      const words = utterance.words.slice(at, at + MESSAGE_WORDS);
      await write(output, transcriptionOf({ ...utterance, words }, split, first));
      first = false;
    }
  };
  const fifos = fifosBeside(file, split ? channels : 1);
  const run = new EngineRun(listening, fifos.length, take, signal);
  return { processedAudioLength: await run.listen(file, fifos, properties.vad !== false) };
};

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
