import { conflict, PROBLEM_NAMES, Problem } from '../../../domain/problem.ts';
import { newestRuns } from '../../../domain/stream/attempts.ts';
import type { ReadModels } from '../../../projections/readModels.ts';
import { type StreamDocument, streamsProjection } from '../../../projections/streams.ts';
import { EVERY_SINK, liveSinks, liveSinksWithPartials } from '../../../results/sinks.ts';
import type { LiveReaders } from '../../../stores/leases/liveReaders.ts';
import { type FollowDeps, followSink, type SinkFrame } from '../../live/follow.ts';
import { merged } from '../../live/merged.ts';

export interface ResponseDeps extends FollowDeps {
  readonly readModels: ReadModels;
  readonly liveReaders: Pick<LiveReaders, 'enter'>;
}

/**
 * The frames of all sinks of a stream, from the first on, as they arrive; ends when no more can follow. `partials` adds the partial outputs of sinks of
 * bytes or text. Read at the pace of the caller: unread frames wait in the topics, which retention keeps meanwhile.
 */
export async function* responsesOf(
  deps: ResponseDeps,
  streamId: string,
  { partials, signal }: { readonly partials: boolean; readonly signal: AbortSignal },
): AsyncGenerator<SinkFrame> {
  const document = await deps.readModels.getFresh(streamsProjection, streamId, `stream-${streamId}`);
  if (!document) return;
  const leave = await deps.liveReaders.enter(streamId);
  try {
    const sinks = (partials ? liveSinksWithPartials : liveSinks)(document, EVERY_SINK);
    yield* merged(sinks.map((sink) => followSink(deps, sink, -1, signal)));
  } finally {
    await leave();
  }
}

const LOOK_MILLISECONDS = 500;

/** The problem of a failed stream: that of the failed processor, or the conflict that an upload over HTTP gets too if the stream was canceled. */
const failureOf = (document: StreamDocument): Problem => {
  const message = document.stream.stateDescription ?? 'The stream failed.';
  if (document.canceled) return conflict(message);
  const name = newestRuns(document).find(({ state }) => state === 'ERROR')?.errorName;
  const known = PROBLEM_NAMES.find((one) => one === name) ?? 'PROCESSOR_GENERAL_ERROR';
  return new Problem(known, message, { title: 'The stream failed' });
};

/**
 * Waits for the end of a stream, which follows that of its sinks. Returns its failure, or `null`. A client that receives END_OF_STREAM finds the
 * stream ended, and no longer counted as running. Throws the signal's reason when it aborts.
 */
export const failureAtEnd = async (
  { readModels, news }: Pick<ResponseDeps, 'readModels' | 'news'>,
  streamId: string,
  signal: AbortSignal,
): Promise<Problem | null> => {
  const listener = news.listen(streamId);
  try {
    for (;;) {
      const document = await readModels.getFresh(streamsProjection, streamId, `stream-${streamId}`);
      if (document?.state === 'FAILED') return failureOf(document);
      if (document?.state !== 'READY') return null;
      await listener.next(LOOK_MILLISECONDS, signal);
    }
  } finally {
    listener.stop();
  }
};
