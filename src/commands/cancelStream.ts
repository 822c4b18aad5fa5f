import { type Caller, hasRole } from '../domain/caller.ts';
import { notFound } from '../domain/problem.ts';
import { streamResource } from '../domain/stream.ts';
import type { Stream } from '../domain/streamConfiguration.ts';
import { cancelStream as cancel } from '../domain/streamDecisions.ts';
import type { Position } from '../stores/eventStore.ts';
import type { AppendContext, CommandDeps } from './handle.ts';
import { decideStream } from './loadStream.ts';

/**
 * Cancels a stream. `position` is `null` when it had FAILED already. Rejects with a `Problem`: 404 for an unknown one, and for another's unless
 * the caller is a gateway or an admin; 409 for one that is COMPLETED or EXPIRED.
 */
export const cancelStream = async (
  deps: CommandDeps,
  { streamId, caller }: { streamId: string; caller: Caller },
  context: AppendContext,
): Promise<{ stream: Stream; position: Position | null }> => {
  const canceled = await decideStream(
    deps,
    streamId,
    (state) => {
      if (!state) throw notFound('stream');
      if (state.stream.creatorId !== caller.subject && !hasRole(caller, 'gateway', 'admin')) throw notFound('stream');
      return cancel(state);
    },
    context,
  );
  if (!canceled.state) throw notFound('stream');
  return { stream: streamResource(canceled.state), position: canceled.position };
};
