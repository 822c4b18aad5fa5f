import type { Warning } from '../../domain/stream/warnings.ts';
import type { JsonObject } from '../../json.ts';
import type { WorkerProgress, WorkerRun, WorkerUtterance } from '../../speech/workers/messages.ts';
import { WorkerLost, WorkerRefused } from '../../speech/workers/worker.ts';
import type { SpeechWorkers } from '../../speech/workers/workers.ts';
import { ProcessorError, type RunContext } from '../processor.ts';
import type { DecodedAudio } from './decodedAudio.ts';
import type { ChosenEngine } from './engineChoice.ts';
import type { MadeBy } from './transcriptionWriter.ts';
import type { SpokenUtterance } from './utterances.ts';

/** `vocabulary`: text, or a list of words. */
export const vocabularyOf = ({ vocabulary }: JsonObject): string => {
  if (typeof vocabulary === 'string') return vocabulary;
  return Array.isArray(vocabulary) ? vocabulary.filter((word) => typeof word === 'string').join(', ') : '';
};

const VOCABULARY_IGNORED: Warning = {
  code: 'VOCABULARY_IGNORED',
  message:
    'The vocabulary was not used: this engine cannot take one. Run "npx tributary models pull base" on the server for one that can, or set TRANSCRIBER_URL.',
};

const LANGUAGE_UNLIKELY: Warning = {
  code: 'LANGUAGE_UNLIKELY',
  message:
    'This may not be English, the only language of this engine, so the words may be wrong. For another language, send language=<code>. The server needs a multilingual model for it ("npx tributary models pull base") or TRANSCRIBER_URL.',
};

const VOCABULARY_SHORTENED: Warning = {
  code: 'VOCABULARY_SHORTENED',
  message: 'The vocabulary is longer than the engine can read: it knew only a part. Send fewer words.',
};

/** What the engine says about a run, with its words. */
export type EngineRemarks = Pick<WorkerUtterance, 'languageUnlikely' | 'vocabularyShortened'>;

/** Warnings about the engine, for readers of the words. */
export const engineWarnings = ({ engine }: ChosenEngine, vocabulary: string, remarks: EngineRemarks | null): Warning[] => [
  ...(vocabulary !== '' && engine.engine === 'moonshine' ? [VOCABULARY_IGNORED] : []),
  ...(remarks?.vocabularyShortened ? [VOCABULARY_SHORTENED] : []),
  ...(remarks?.languageUnlikely ? [LANGUAGE_UNLIKELY] : []),
];

/** Speech servers with Whisper read the last 224 tokens of a prompt, some 900 letters. They do not say what they leave out. */
const READ_CHARACTERS = 900;

/** Warnings about the words sent to a speech server. */
export const serverWarnings = (properties: JsonObject): Warning[] =>
  vocabularyOf(properties).length > READ_CHARACTERS ? [VOCABULARY_SHORTENED] : [];

export const noSpeechThresholdOf = ({ noSpeechThreshold }: JsonObject): number =>
  typeof noSpeechThreshold === 'number' ? noSpeechThreshold : 0.5;

export interface Transcribing {
  readonly workers: SpeechWorkers;
  readonly chosen: ChosenEngine;
  readonly run: WorkerRun;
  readonly audio: Pick<DecodedAudio, 'samples'>;
  readonly waiting?: () => boolean;
  readonly onProgress?: (progress: WorkerProgress) => void;
  readonly using?: RunContext['using'];
  readonly low?: boolean;
  readonly signal: AbortSignal;
}

/** Transcribes audio with a worker. Losing the worker is a retryable `ProcessorError`. */
export async function* transcribing(task: Transcribing): AsyncGenerator<{ readonly heard: WorkerUtterance; readonly madeBy: MadeBy }> {
  const { workers, chosen, run, audio, signal, waiting = () => false, onProgress = () => {} } = task;
  let engine: string = chosen.engine.engine;
  const tell = () => task.using?.({ engine, model: chosen.model });
  tell();
  try {
    const utterances = workers.run({
      engine: chosen.engine,
      run,
      signal,
      low: task.low ?? false,
      audio: { samples: audio.samples(), waiting, onProgress },
      onEngine: (name) => {
        engine = name;
        tell();
      },
    });
    for await (const heard of utterances) yield { heard, madeBy: { engine, model: chosen.model } };
  } catch (error) {
    if (error instanceof WorkerLost) throw new ProcessorError('PROCESSOR_TRANSCRIPTION_ERROR', error.message, true);
    if (error instanceof WorkerRefused) {
      throw new ProcessorError('PROCESSOR_TRANSCRIPTION_ERROR', `The speech engine failed: ${error.message}.`);
    }
    throw error;
  }
}

export const spokenOf = ({ words }: WorkerUtterance): SpokenUtterance => ({
  words,
  start: words[0]?.start ?? null,
  end: words.at(-1)?.end ?? null,
});
