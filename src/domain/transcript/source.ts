import { conflict, notFound, Problem } from '../problem.ts';
import { audioLengthOf, runsOf, type StreamRun } from '../stream/attempts.ts';
import { MESSAGE_SCHEMAS } from '../stream/messages.ts';
import { beforeRedaction } from '../stream/redaction.ts';
import { dataGone } from '../stream/rerunStream.ts';
import type { StreamAggregate } from '../stream/state.ts';
import { topicId } from '../stream/streamConfiguration.ts';

/** The transcription that a stream's transcript is made from. */
export interface TranscriptSource {
  /** The attempt of the stream that made it. */
  readonly attempt: number;
  /** Id of its topic. */
  readonly topic: string;
  /** Length of the recording in milliseconds, as the stages measured it; 0 if none did. */
  readonly audioLength: number;
}

/**
 * The last transcription of the chain as of an attempt (default: the newest), from the newest run that completed. Throws 404 without one or without the
 * attempt, 409 while the attempt that makes it runs, and 410 once the data are deleted.
 */
export const transcriptSource = (aggregate: StreamAggregate, attempt?: number): TranscriptSource => {
  const { streamAttempt, processor } = transcriptRun(aggregate, attempt);
  if (aggregate.stream.state === 'EXPIRED') throw dataGone('The data of this stream have been deleted, and its transcript with them.');
  return { attempt: streamAttempt, topic: topicId(processor.destination.topic), audioLength: audioLengthOf(aggregate) ?? 0 };
};

/** The attempt that made the transcription, like `transcriptSource`, also of a stream whose data are deleted. */
export const transcriptAttempt = (aggregate: StreamAggregate, attempt?: number): number => transcriptRun(aggregate, attempt).streamAttempt;

const transcriptRun = (aggregate: StreamAggregate, asked?: number): StreamRun => {
  const { stream, attempts } = aggregate;
  const attempt = asked ?? stream.attempt;
  if (!attempts.some((one) => one.attempt === attempt)) throw notFound('attempt of this stream');
  const unredacted = beforeRedaction(aggregate.chain);
  const makers = stream.configuration.processors.filter(
    ({ id, destination }) => destination.messageSchema === MESSAGE_SCHEMAS.transcription && !unredacted.has(id),
  );
  for (const { id } of makers.toReversed()) {
    const runs = runsOf(aggregate, id).filter(({ streamAttempt }) => streamAttempt <= attempt);
    if (stream.state === 'READY' && runs[0]?.streamAttempt === stream.attempt)
      throw conflict('The stream is still running. Read its transcript when it has ended, or that of an earlier attempt.');
    const made = runs.find(({ state }) => state === 'COMPLETED');
    if (made) return made;
  }
  throw new Problem('GENERAL_NOT_FOUND_ERROR', 'This stream has no transcription, so it has no transcript.');
};

/** The newest attempt that had ended by a time, ISO 8601. Throws 404 if none had. */
export const attemptAsOf = ({ attempts }: StreamAggregate, time: string): number => {
  const ended = attempts.findLast(({ endedTimestamp }) => endedTimestamp !== null && endedTimestamp <= time);
  if (!ended) throw new Problem('GENERAL_NOT_FOUND_ERROR', `The stream had no transcript at ${time}.`);
  return ended.attempt;
};
