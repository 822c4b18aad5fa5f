import { notFound, Problem } from '../../../domain/problem.ts';
import { type StreamDocument, streamsProjection } from '../../../projections/streams.ts';
import type { Topics } from '../../../stores/topics.ts';
import type { HeldRead } from '../../export/heldReads.ts';
import { resultsOf, type StreamResults } from '../../export/results.ts';
import { holdCollected, isTranscription, liveSinks, type Sink, withoutPassedOn } from '../../export/sinks.ts';
import { failureAtEnd, type ResponseDeps } from '../../gateway/webSocket/responses.ts';
import { OpenAiProblem } from '../openAiErrors.ts';

const EVERY_SINK = { all: true, tags: [] };
const LOOK_MILLISECONDS = 500;
/** Why a signal aborts after the longest wait. */
export const TIMED_OUT = new Error('the longest wait is over');

/** A stream with a complete transcription. */
export interface FinishedSpeech {
  readonly document: StreamDocument;
  readonly results: StreamResults;
}

/** The sinks with a stream's transcription. If a diarization repeats one with speakers, only its sink counts. */
export const transcriptionSinks = (document: StreamDocument): Sink[] =>
  withoutPassedOn(liveSinks(document, EVERY_SINK).filter(isTranscription));

type SpeechDeps = Omit<ResponseDeps, 'topics'> & { readonly topics: Topics };

/** Waits for the end of a stream and reads its transcription. Throws its failure, and the signal's reason when it aborts. */
export const finishedSpeech = async (deps: SpeechDeps, streamId: string, held: HeldRead, signal: AbortSignal): Promise<FinishedSpeech> => {
  const document = await endOfSpeech(deps, streamId, signal);
  const sinks = transcriptionSinks(document);
  await heldLater(deps, sinks, held, signal);
  return { document, results: await resultsOf(deps.topics, sinks, signal) };
};

/** The work is done, so an answer that finds no room in memory waits for it. After the longest wait it is refused for that reason. */
const heldLater = async ({ topics, clock }: SpeechDeps, sinks: readonly Sink[], held: HeldRead, signal: AbortSignal): Promise<void> => {
  for (;;) {
    try {
      return await holdCollected(topics, sinks, held);
    } catch (error) {
      if (!(error instanceof Problem && error.statusCode === 503)) throw error;
      await clock.pause(LOOK_MILLISECONDS, signal);
      if (signal.reason === TIMED_OUT) throw error;
      signal.throwIfAborted();
    }
  }
};

/** Waits for the end of a stream. Throws its failure, unless only a later stage failed and its transcription is complete. */
export const endOfSpeech = async (deps: Omit<ResponseDeps, 'topics'>, streamId: string, signal: AbortSignal): Promise<StreamDocument> => {
  const failure = await failureAtEnd(deps, streamId, signal);
  const document = await deps.readModels.getFresh(streamsProjection, streamId, `stream-${streamId}`);
  if (!document) throw notFound('stream');
  if (failure && !isWhole(document)) throw speechFailure(failure);
  return document;
};

const isWhole = (document: StreamDocument): boolean =>
  !document.canceled &&
  transcriptionSinks(document).every(({ processor }) =>
    document.processors.some(({ processorId, state }) => processorId === processor.id && state === 'COMPLETED'),
  );

/** Tells the client not to retry: the platform has already retried every error that may be temporary. */
const speechFailure = (failure: Problem): OpenAiProblem => {
  const { internalErrorName, message, statusCode } = failure;
  const badFile = internalErrorName === 'PROCESSOR_TRANSCODING_ERROR';
  return new OpenAiProblem(internalErrorName, message, {
    statusCode: badFile ? 400 : statusCode,
    headers: { 'x-should-retry': 'false' },
    ...(badFile && { param: 'file', code: 'invalid_value' }),
  });
};

/** Length of the recording in seconds: as measured by the transcriber, otherwise the end of the last utterance. */
export const durationOf = ({ processors }: StreamDocument, lastEnd: number | null = null): number => {
  const measured = processors.flatMap(({ quantities }) => quantities?.processedAudioLength ?? []);
  return Math.max(lastEnd ?? 0, ...measured) / 1_000;
};
