import type { Readable } from 'node:stream';
import type { UploadRecorded } from '../../../commands/upload.ts';
import type { Caller } from '../../../domain/credentials/caller.ts';
import { streamEventStream } from '../../../domain/stream/events.ts';
import type { Transcription } from '../../../domain/stream/messages.ts';
import type { RequestedPatch } from '../../../domain/templates/patches.ts';
import type { StreamConfigurationTemplate } from '../../../domain/templates/template.ts';
import { streamsProjection } from '../../../projections/streams.ts';
import { transcriptionIn } from '../../../results/results.ts';
import { type IngestDeps, ingest } from '../../gateway/ingest.ts';
import { type UploadPlanner, unpatched } from '../../gateway/planner.ts';
import { failureAtEnd, type ResponseDeps } from '../../gateway/webSocket/responses.ts';
import { followSink } from '../../live/follow.ts';
import { merged } from '../../live/merged.ts';
import { commandContext } from '../../route/commandContext.ts';
import { transcriptionSinks } from '../transcriptions/finishedSpeech.ts';
import { patchesOf } from '../transcriptions/speechPatches.ts';
import { joinedVocabulary } from '../transcriptions/speechRequest.ts';
import { AUDIO_FORMATS } from './audioFormat.ts';
import type { SessionSettings } from './sessionSettings.ts';

export interface LiveSpeechDeps extends IngestDeps, Omit<ResponseDeps, 'topics'> {
  readonly planner: UploadPlanner;
}

/** One stream of a real-time template, from 16-bit samples to messages. */
export interface LiveSpeech {
  readonly streamId: string;
  readonly template: StreamConfigurationTemplate;
  readonly settings: SessionSettings;
  readonly caller: Caller;
  readonly correlationId: string;
  readonly source: Readable;
  /** Called for each message of the transcriber, partial ones too. The next one is read when it has resolved. */
  readonly onMessage: (message: Transcription, isFinal: boolean) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Writes the samples into the stream while its messages arrive. Resolves when the stream has completed; rejects with its refusal or failure. */
export const runLiveSpeech = async (deps: LiveSpeechDeps, speech: LiveSpeech): Promise<void> => {
  const { planner } = deps;
  const { template, settings, caller, streamId, source } = speech;
  const prepared = await planner.prepare({ ...unpatched(template.id), patches: livePatches(template, settings) }, caller);
  await planner.checkEngines(prepared);
  const plan = planner.plan(prepared, { streamId, idGenerated: true, idempotency: null }, caller);
  let reading: Promise<void> = Promise.resolve();
  const onBegun = ({ stream }: UploadRecorded): void => {
    reading = readMessages(deps, stream.streamId, speech);
    // Awaited below; a failure also ends the audio.
    reading.catch((error: unknown) => source.destroy(error instanceof Error ? error : new Error(String(error))));
  };
  await ingest(deps, { plan, context: commandContext(speech), source, onBegun });
  await reading;
};

const readMessages = async (deps: LiveSpeechDeps, streamId: string, { onMessage, signal }: LiveSpeech): Promise<void> => {
  const leave = await deps.liveReaders.enter(streamId);
  try {
    const document = await deps.readModels.getFresh(streamsProjection, streamId, streamEventStream(streamId));
    if (!document) throw new Error(`stream ${streamId} is not in the read model`);
    const sinks = transcriptionSinks(document).map((sink) => followSink(deps, sink, -1, signal));
    for await (const { frame } of merged(sinks)) {
      const found = transcriptionIn(frame);
      if (found) await onMessage(found.message, found.isFinal);
    }
    const failure = await failureAtEnd(deps, streamId, signal);
    if (failure) throw failure;
  } catch (error) {
    // The client has left: its stream continues and completes.
    if (!signal.aborted) throw error;
  } finally {
    await leave();
  }
};

const livePatches = (template: StreamConfigurationTemplate, settings: SessionSettings): RequestedPatch[] => {
  const { language, languages, prompt, keywords, format, turnDetection } = settings;
  const [candidate = null, ...others] = languages;
  const wanted = {
    // A live engine hears one language. Several candidates leave the choice to the template.
    language: language ?? (others.length === 0 ? candidate : null),
    vocabulary: joinedVocabulary(prompt, keywords),
    encoding: 'linear16',
    sampleRate: AUDIO_FORMATS[format].sampleRate,
    channels: 1,
    utteranceEndSilence: turnDetection?.silenceMilliseconds ?? null,
  };
  const transcribers = template.processors.filter(
    ({ processorDeclaration }) => processorDeclaration.operationType === 'REAL_TIME_TRANSCRIPTION',
  );
  return patchesOf(transcribers, wanted);
};
