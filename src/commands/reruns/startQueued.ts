import { Problem } from '../../domain/problem.ts';
import { recordHandled } from '../../domain/reruns/decisions.ts';
import { rerunsEventStream } from '../../domain/reruns/events.ts';
import { type BulkRerun, nextBulkRerun, type Refusal, type RerunsState, rerunsDecider } from '../../domain/reruns/state.ts';
import { DamagedEventStream } from '../../stores/eventStore.ts';
import { handle } from '../handle.ts';
import { loadReruns } from './bulkReruns.ts';
import { type RerunDeps, rerunStream } from './rerunStream.ts';

export interface StartQueuedDeps extends RerunDeps {
  /** Whether the user may write to the log and the disk now. */
  readonly mayWrite: (subject: string) => boolean;
}

/** Streams started between two records of progress. After a kill they are requested again with the same keys. */
const TOGETHER = 20;

/** `done`: nothing waits. `more`: look again soon, since some were started or refused. `later`: the user's limits allow none now. */
export type QueueState = 'done' | 'more' | 'later';

/**
 * Starts a user's next waiting reruns in order, within the user's limits. Each has its own `Idempotency-Key`, so that a repeated request runs once.
 * Rejects if the log is away.
 */
export const startQueued = async (deps: StartQueuedDeps, subject: string, signal: AbortSignal): Promise<QueueState> => {
  const request = nextBulkRerun(await loadReruns(deps.log, subject));
  if (!request) return 'done';
  const { handled, refused } = await startSome(deps, subject, request, signal);
  await handle(deps, {
    eventStream: rerunsEventStream(subject),
    decider: rerunsDecider,
    decide: (state: RerunsState) => recordHandled(state, request.requestId, handled, refused),
    context: { subject, actor: 'policy:reruns', correlationId: request.correlationId, causationId: request.requestId },
  });
  // Recently started short streams may have ended.
  return handled.length === 0 ? 'later' : 'more';
};

interface Started {
  readonly handled: readonly string[];
  readonly refused: readonly Refusal[];
}

const startSome = async (deps: StartQueuedDeps, subject: string, request: BulkRerun, signal: AbortSignal): Promise<Started> => {
  const refused: Refusal[] = [];
  const handled: string[] = [];
  for (const streamId of request.waiting.slice(0, TOGETHER)) {
    if (signal.aborted || !deps.mayWrite(subject) || (await leavesNoRoom(deps, subject))) return { handled, refused };
    const refusal = await startOne(deps, subject, request, streamId);
    if (refusal === 'later') return { handled, refused };
    if (refusal) refused.push(refusal);
    handled.push(streamId);
  }
  return { handled, refused };
};

/** One place stays free, so that a bulk rerun does not block its user's uploads. */
const leavesNoRoom = async ({ runningStreams }: StartQueuedDeps, subject: string): Promise<boolean> => {
  const { limit } = runningStreams;
  return limit > 1 && (await runningStreams.remaining(subject)) <= 1;
};

const startOne = async (
  deps: StartQueuedDeps,
  subject: string,
  { requestId, from, patches, reason, requestedBy, correlationId }: BulkRerun,
  streamId: string,
): Promise<Refusal | 'later' | null> => {
  const request = { streamId, caller: { subject }, from, patches, reason, idempotencyKey: `bulk rerun ${requestId}` };
  try {
    await rerunStream(deps, request, { subject, actor: requestedBy, correlationId, causationId: requestId });
    return null;
  } catch (error) {
    // Repeating would not help, and other streams wait.
    if (error instanceof DamagedEventStream) return { streamId, statusCode: 503, message: error.message };
    if (!(error instanceof Problem)) throw error;
    const passes = error.statusCode === 429 || (error.statusCode === 503 && error.internalErrorName === 'GENERAL_INTERNAL_ERROR');
    return passes ? 'later' : { streamId, statusCode: error.statusCode, message: error.message };
  }
};
