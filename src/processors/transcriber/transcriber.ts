import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../clock.ts';
import type { ProcessorDeclaration } from '../../domain/templates/template.ts';
import { type Processor, ProcessorError, type RunContext, type RunReport } from '../processor.ts';
import { ChannelMerge } from './channelMerge.ts';
import { countChannels, decode } from './decoding.ts';
import { HeardWriter } from './heardWriter.ts';
import { understands } from './languages.ts';
import { EngineRun, fifosIn, type Listening, type Recording } from './listening.ts';
import { DEBIAN_COMMANDS, type EngineCommands, findPocketSphinx } from './pocketSphinx.ts';

export interface TranscriberSettings {
  readonly clock: Clock;
  /** Path of a JSGF file, or `null` for free speech. */
  readonly grammar: string | null;
  readonly commands?: EngineCommands;
  readonly stallMilliseconds?: number;
}

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

const transcribe = async (listening: Listening, { properties, input, output, signal }: RunContext): Promise<RunReport> => {
  const file = await input.file();
  if ((await stat(file)).size === 0) return { processedAudioLength: 0 };
  const split = properties.splitStereo === true;
  const channels = Math.min(2, await countChannels(listening.engine.ffprobe, file, signal));
  const threshold = typeof properties.noSpeechThreshold === 'number' ? properties.noSpeechThreshold : 0.5;
  const writer = new HeardWriter(output, { split, noSpeechThreshold: threshold });
  const fifos = fifosIn(dirname(file), split ? channels : 1);
  const run = new EngineRun(listening, new ChannelMerge(fifos.length), (utterance) => writer.write(utterance), signal);
  const recording: Recording = { decode: (...how) => decode(listening.engine.ffmpeg, file, ...how) };
  return { processedAudioLength: await run.listen(recording, fifos, { vad: properties.vad !== false, pause: null }) };
};
