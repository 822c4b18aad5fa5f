import { type Caller, hasRole } from '../domain/credentials/caller.ts';
import { notFound } from '../domain/problem.ts';
import { renameStream as rename } from '../domain/stream/decisions.ts';
import { type Stream, streamResource } from '../domain/stream/streamResource.ts';
import type { Position } from '../stores/eventStore.ts';
import type { AppendContext, CommandDeps } from './handle.ts';
import { decideStream } from './loadStream.ts';

/**
 * Renames a stream in any state. `position` is `null` if it already has this name. Rejects with a `Problem` 404 for an unknown stream, and for
 * another's unless the caller is an admin.
 */
export const renameStream = async (
  deps: CommandDeps,
  { streamId, name, caller }: { streamId: string; name: string; caller: Caller },
  context: AppendContext,
): Promise<{ stream: Stream; position: Position | null }> => {
  const renamed = await decideStream(
    deps,
    streamId,
    (state) => {
      if (!state || (state.stream.creatorId !== caller.subject && !hasRole(caller, 'admin'))) throw notFound('stream');
      return rename(state, name);
    },
    context,
  );
  if (!renamed.state) throw notFound('stream');
  return { stream: streamResource(renamed.state), position: renamed.position };
};
