import { stat } from 'node:fs/promises';
import type { ProcessorDeclaration } from '../../domain/templates/template.ts';
import type { WorkerProgress, WorkerRun } from '../../speech/workers/messages.ts';
import type { SpeechWorkers } from '../../speech/workers/workers.ts';
import { type Processor, ProcessorError, type RunContext, type RunReport } from '../processor.ts';
import { LONG_BYTES } from '../runner/admission.ts';
import { ChannelMerge } from './channelMerge.ts';
import { decodeFile, probeAudio } from './decoding.ts';
import { type ChosenEngine, chooseEngine, type EngineSources, needsOf } from './engineChoice.ts';
import { inStyle } from './romanian.ts';
import { type MadeBy, TranscriptionWriter, type WrittenUtterance } from './transcriptionWriter.ts';
import { checkLanguages } from './whisperLanguages.ts';
import { noSpeechThresholdOf, spokenOf, transcribing, vocabularyOf } from './workerTranscription.ts';

export interface TranscriberSettings {
  readonly workers: SpeechWorkers;
  readonly sources: EngineSources;
}

/**
 * Transcribes recordings with the engines of this machine: one final Transcription message per utterance, in order of start, while the rest is still
 * being transcribed.
 */
export const transcriberProcessor = (declaration: ProcessorDeclaration, { workers, sources }: TranscriberSettings): Processor => {
  const romanian = declaration.id === 'romanian-transcriber';
  const needs = (properties: RunContext['properties']) => needsOf(properties, { fixed: romanian ? 'ro' : null, live: false });
  const choose = (properties: RunContext['properties']) => chooseEngine(sources, needs(properties));
  return {
    declaration,
    mode: 'batch',
    async unavailable(properties) {
      const chosen = await choose(properties);
      if (typeof chosen === 'string') return chosen;
      checkLanguages(chosen, needs(properties).languages);
      return null;
    },
    async run(context) {
      const chosen = await choose(context.properties);
      if (typeof chosen === 'string') throw new ProcessorError('PROCESSOR_TRANSCRIPTION_ERROR', chosen, true);
      return new RecordedRun(workers, chosen, context, romanian).run();
    },
  };
};

interface Ready {
  readonly utterance: WrittenUtterance;
  readonly madeBy: MadeBy;
  readonly channel: number;
  readonly start: number | null;
}

class RecordedRun {
  readonly #workers: SpeechWorkers;
  readonly #chosen: ChosenEngine;
  readonly #context: RunContext;
  readonly #romanian: boolean;
  readonly #writer: TranscriptionWriter;
  /** Written when the next one is known, so that the last one can carry warnings about the end of the file. */
  #held: Ready | null = null;

  constructor(workers: SpeechWorkers, chosen: ChosenEngine, context: RunContext, romanian: boolean) {
    this.#workers = workers;
    this.#chosen = chosen;
    this.#context = context;
    this.#romanian = romanian;
    this.#writer = new TranscriptionWriter(context.output);
  }

  async run(): Promise<RunReport> {
    const { properties, input, signal } = this.#context;
    const file = await input.file();
    const { size } = await stat(file);
    if (size === 0) return { processedAudioLength: 0 };
    const probe = await probeAudio(this.#chosen.ffprobe, file, signal);
    const split = properties.splitStereo === true;
    const channels = split ? Math.min(2, probe.channels) : 1;
    const audio = decodeFile(this.#chosen.ffmpeg, file, { channels, probe, signal });
    const merge = new ChannelMerge<Ready>(channels);
    // The workers of long recordings have the lowest priority.
    const low = size > LONG_BYTES;
    const { using } = this.#context;
    const onProgress = ({ settled }: WorkerProgress) => merge.settle(settled);
    const task = {
      workers: this.#workers,
      chosen: this.#chosen,
      run: this.#asked(channels, split),
      audio,
      low,
      signal,
      onProgress,
      ...(using && { using }),
    };
    for await (const { heard, madeBy } of transcribing(task)) {
      const spoken = this.#romanian ? inStyle(spokenOf(heard), properties) : spokenOf(heard);
      if (heard.type === 'partial' || !spoken || spoken.words.length === 0) continue;
      const { language, languageProbability, wordTimes } = heard;
      const channel = split ? heard.channel : null;
      const utterance = {
        ...spoken,
        language,
        languageProbability,
        wordTimes,
        channel,
        audioEnd: audio.length,
        recordingLength: probe.length,
      };
      merge.add({ utterance, madeBy, channel: heard.channel, start: spoken.start });
      await this.#pass(merge);
    }
    merge.end();
    await this.#pass(merge);
    if (this.#held) await this.#write(this.#held, audio.warnings);
    return { processedAudioLength: audio.length };
  }

  #asked(channels: number, split: boolean): WorkerRun {
    const { properties } = this.#context;
    const needs = needsOf(properties, { fixed: this.#romanian ? 'ro' : null, live: false });
    return {
      mode: 'batch',
      channels,
      partials: false,
      speakers: !split,
      utteranceEnd: 0,
      languages: needs.languages,
      vocabulary: vocabularyOf(properties),
      task: properties.task === 'translate' ? 'translate' : 'transcribe',
      vad: properties.vad !== false,
      noSpeechThreshold: noSpeechThresholdOf(properties),
    };
  }

  async #pass(merge: ChannelMerge<Ready>): Promise<void> {
    for (let next = merge.next(); next; next = merge.next()) {
      if (this.#held) await this.#write(this.#held, []);
      this.#held = next;
    }
  }

  #write({ utterance, madeBy }: Ready, warnings: readonly string[]): Promise<void> {
    return this.#writer.write({ ...utterance, warnings }, madeBy);
  }
}
