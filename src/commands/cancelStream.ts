import { type Caller, hasRole } from '../domain/credentials/caller.ts';
import { notFound } from '../domain/problem.ts';
import { cancelStream as cancel } from '../domain/stream/decisions.ts';
import { type Stream, streamResource } from '../domain/stream/streamResource.ts';
import type { Position } from '../stores/eventStore.ts';
import type { AppendContext } from './handle.ts';
import { decideStream } from './loadStream.ts';
import { type MeasureDeps, measureRuns } from './measureRuns.ts';

/**
 * Cancels a stream. `position` is `null` if it had already FAILED. Rejects with a `Problem`: 404 for an unknown stream, and for another's unless
 * the caller is a gateway or an admin; 409 for a COMPLETED or EXPIRED one.
 */
export const cancelStream = async (
  deps: MeasureDeps,
  { streamId, caller }: { streamId: string; caller: Caller },
  context: AppendContext,
): Promise<{ stream: Stream; position: Position | null }> => {
  const used = await measureRuns(deps, streamId);
  const canceled = await decideStream(
    deps,
    streamId,
    (state) => {
      if (!state) throw notFound('stream');
      if (state.stream.creatorId !== caller.subject && !hasRole(caller, 'gateway', 'admin')) throw notFound('stream');
      return cancel(state, used);
    },
    context,
  );
  if (!canceled.state) throw notFound('stream');
  return { stream: streamResource(canceled.state), position: canceled.position };
};

/** Cancels a stream before another change; `null` if it has already ended. */
export const cancelIfRunning = async (deps: MeasureDeps, streamId: string, context: AppendContext): Promise<Position | null> => {
  const used = await measureRuns(deps, streamId);
  const decided = await decideStream(deps, streamId, (state) => (state?.stream.state === 'READY' ? cancel(state, used) : []), context);
  return decided.position;
};
