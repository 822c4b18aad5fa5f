import { notFound, Problem } from '../../../domain/problem.ts';
import { isOwn } from '../../../domain/processorDeclarations/declaration.ts';
import { audioLengthOf, newestRuns, runsOf } from '../../../domain/stream/attempts.ts';
import { topicId } from '../../../domain/stream/streamConfiguration.ts';
import { type StreamDocument, streamsProjection } from '../../../projections/streams.ts';
import { resultsOf, type StreamResults } from '../../../results/results.ts';
import { EVERY_SINK, isTranscription, liveSinks, type Sink, withoutPassedOn } from '../../../results/sinks.ts';
import type { Topics } from '../../../stores/topics.ts';
import { OpenAiProblem, withHeaders } from '../../errors/openAiErrors.ts';
import { failureAtEnd, type ResponseDeps } from '../../gateway/webSocket/responses.ts';
import type { HeldMemory } from '../../limits/memoryBudget.ts';

/** Results take more memory than their bytes. An estimate. */
const COLLECTED_WEIGHT = 2;

/** A stream with a complete transcription. */
export interface FinishedSpeech {
  readonly document: StreamDocument;
  readonly results: StreamResults;
}

/** The sinks with a stream's transcription. If a diarization repeats one with speakers, only its sink counts. */
export const transcriptionSinks = (document: StreamDocument): Sink[] =>
  withoutPassedOn(liveSinks(document, EVERY_SINK).filter(isTranscription));

/** Reads the transcription of a stream that has ended. Throws 429 or 503, which say not to retry, if memory has no room for it. */
export const finishedSpeech = async (
  topics: Topics,
  document: StreamDocument,
  memory: HeldMemory,
  signal: AbortSignal,
): Promise<FinishedSpeech> => {
  const sinks = transcriptionSinks(document);
  let bytes = 0;
  for (const { processor } of sinks) bytes += (await topics.size(topicId(processor.destination.topic)))?.bytes ?? 0;
  try {
    memory.take(COLLECTED_WEIGHT * bytes);
  } catch (error) {
    // The client would upload again.
    throw error instanceof Problem ? withHeaders(error, { 'x-should-retry': 'false' }) : error;
  }
  return { document, results: await resultsOf(topics, sinks, signal) };
};

/** Waits for the end of a stream. Throws its failure, unless only a later stage failed and its transcription is complete. */
export const endOfSpeech = async (deps: Omit<ResponseDeps, 'topics'>, streamId: string, signal: AbortSignal): Promise<StreamDocument> => {
  const failure = await failureAtEnd(deps, streamId, signal);
  const document = await deps.readModels.getFresh(streamsProjection, streamId, `stream-${streamId}`);
  if (!document) throw notFound('stream');
  if (failure && !isWhole(document)) throw speechFailure(failure, document);
  return document;
};

const isWhole = (document: StreamDocument): boolean =>
  !document.canceled && transcriptionSinks(document).every(({ processor }) => runsOf(document, processor.id)[0]?.state === 'COMPLETED');

/** Tells the client not to retry: the platform has already retried every error that may be temporary. */
const speechFailure = (failure: Problem, document: StreamDocument): OpenAiProblem => {
  const { internalErrorName, message, statusCode } = failure;
  const own = failedOwnProcessor(document);
  if (own !== null)
    return new OpenAiProblem(internalErrorName, `Your own processor ${JSON.stringify(own)} in this model failed: ${message}`, {
      statusCode: 400,
      headers: { 'x-should-retry': 'false' },
      param: 'model',
      code: 'processor_failed',
    });
  const badFile = internalErrorName === 'PROCESSOR_TRANSCODING_ERROR';
  return new OpenAiProblem(internalErrorName, message, {
    statusCode: badFile ? 400 : statusCode,
    headers: { 'x-should-retry': 'false' },
    ...(badFile && { param: 'file', code: 'invalid_value' }),
  });
};

/** Its id in the chain; `null` if another processor failed: then the fault is the server's, or the recording's. */
const failedOwnProcessor = (document: StreamDocument): string | null => {
  const failed = document.canceled ? undefined : newestRuns(document).find(({ state }) => state === 'ERROR');
  return failed && isOwn(failed.processor) ? failed.processorId : null;
};

/** Length of the recording in seconds: as measured by the transcriber, otherwise the end of the last utterance. */
export const durationOf = (document: StreamDocument, lastEnd: number | null = null): number =>
  Math.max(lastEnd ?? 0, audioLengthOf(document) ?? 0) / 1_000;
