import { stat } from 'node:fs/promises';
import type { Warning } from '../../domain/stream/warnings.ts';
import type { ProcessorDeclaration } from '../../domain/templates/template.ts';
import type { WorkerProgress, WorkerRun } from '../../speech/workers/messages.ts';
import type { SpeechWorkers } from '../../speech/workers/workers.ts';
import { inspectMedia, namedFailure } from '../media/inspectMedia.ts';
import type { MediaFacts, MediaLimits } from '../media/mediaFacts.ts';
import { type Processor, ProcessorError, type RunContext, type RunEngine, type RunReport } from '../processor.ts';
import { LONG_BYTES } from '../runner/admission.ts';
import { ChannelMerge } from './channelMerge.ts';
import type { DecodedAudio } from './decodedAudio.ts';
import { decodeFile } from './decoding.ts';
import { type ChosenEngine, chooseEngine, type EngineSources, needsOf } from './engineChoice.ts';
import { inStyle } from './romanian.ts';
import { type MadeBy, TranscriptionWriter, type WrittenUtterance } from './transcriptionWriter.ts';
import { checkLanguages } from './whisperLanguages.ts';
import { type EngineRemarks, engineWarnings, noSpeechThresholdOf, spokenOf, transcribing, vocabularyOf } from './workerTranscription.ts';

export interface TranscriberSettings {
  readonly workers: SpeechWorkers;
  readonly sources: EngineSources;
  readonly limits: MediaLimits;
}

/**
 * Transcribes recordings with the engines of this machine: one final Transcription message per utterance, in order of start, while the rest is still
 * being transcribed.
 */
export const transcriberProcessor = (declaration: ProcessorDeclaration, settings: TranscriberSettings): Processor => {
  const romanian = declaration.id === 'romanian-transcriber';
  const needs = (properties: RunContext['properties']) => needsOf(properties, { fixed: romanian ? 'ro' : null, live: false });
  const choose = (properties: RunContext['properties']) => chooseEngine(settings.sources, needs(properties));
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
      return new RecordedRun(settings, chosen, context, romanian).run();
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
  readonly #limits: MediaLimits;
  #madeBy: MadeBy;
  readonly #writer: TranscriptionWriter;
  /** Written when the next one is known, so that the last one can carry warnings about the end of the file. */
  #held: Ready | null = null;

  constructor({ workers, limits }: TranscriberSettings, chosen: ChosenEngine, context: RunContext, romanian: boolean) {
    this.#workers = workers;
    this.#limits = limits;
    this.#chosen = chosen;
    this.#madeBy = { engine: chosen.engine.engine, model: chosen.model };
    this.#context = context;
    this.#romanian = romanian;
    this.#writer = new TranscriptionWriter(context);
  }

  async run(): Promise<RunReport> {
    const { properties, input, signal } = this.#context;
    const file = await input.file();
    const { size } = await stat(file);
    if (size === 0) return { processedAudioLength: 0 };
    const facts = await this.#facts();
    const split = properties.splitStereo === true;
    const channels = split ? Math.min(2, facts.channels) : 1;
    const audio = decodeFile(this.#chosen.ffmpeg, { path: file, facts, limits: this.#limits, channels, signal });
    const merge = new ChannelMerge<Ready>(channels);
    // The workers of long recordings have the lowest priority.
    const low = size > LONG_BYTES;
    const asked = this.#asked(channels, split);
    const onProgress = ({ settled }: WorkerProgress) => merge.settle(settled);
    const task = {
      workers: this.#workers,
      chosen: this.#chosen,
      run: asked,
      audio,
      low,
      signal,
      onProgress,
      using: (engine: RunEngine) => this.#uses(engine),
    };
    let remarks: EngineRemarks | null = null;
    for await (const { heard, madeBy } of transcribing(task)) {
      const spoken = this.#romanian ? inStyle(spokenOf(heard), properties) : spokenOf(heard);
      if (heard.type === 'partial' || !spoken || spoken.words.length === 0) continue;
      const { language, languageProbability, wordTimes } = heard;
      remarks = heard;
      const channel = split ? heard.channel : null;
      const utterance = {
        ...spoken,
        language,
        languageProbability,
        wordTimes,
        channel,
        audioEnd: audio.length,
        recordingLength: audio.stated,
      };
      merge.add({ utterance, madeBy, channel: heard.channel, start: spoken.start });
      await this.#pass(merge);
    }
    merge.end();
    await this.#pass(merge);
    await this.#writeLast(audio, engineWarnings(this.#chosen, asked.vocabulary, remarks));
    return { processedAudioLength: audio.processed };
  }

  /** The runner has inspected the recording, unless it runs behind another processor. */
  async #facts(): Promise<MediaFacts> {
    const { media, input, signal } = this.#context;
    const [file, { ffprobe }] = [await input.file(), this.#chosen];
    const inspected = media ?? (await inspectMedia(file, ffprobe, signal));
    if ('failure' in inspected) throw await namedFailure(inspected.failure, file, ffprobe, signal);
    return inspected.facts;
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

  #uses(engine: RunEngine): void {
    this.#madeBy = { engine: engine.engine, model: engine.model ?? this.#chosen.model };
    this.#context.using?.(engine);
  }

  /** Without any words, an empty message carries what is wrong with the file. */
  async #writeLast({ stated, length, warnings }: DecodedAudio, ofEngine: readonly Warning[]): Promise<void> {
    if (this.#held) return this.#write(this.#held, [...warnings, ...ofEngine]);
    if (warnings.length === 0) return;
    const nothing = { words: [], start: null, end: null, language: null, channel: null, audioEnd: length, recordingLength: stated };
    await this.#writer.write({ ...nothing, warnings }, this.#madeBy);
  }

  #write({ utterance, madeBy }: Ready, warnings: readonly Warning[]): Promise<void> {
    return this.#writer.write({ ...utterance, warnings }, madeBy);
  }
}
