import { type Caller, hasRole } from '../domain/credentials/caller.ts';
import type { Role } from '../domain/credentials/events.ts';
import { notFound } from '../domain/problem.ts';
import type { StreamEvent } from '../domain/stream/events.ts';
import type { StreamAggregate } from '../domain/stream/state.ts';
import type { Position } from '../stores/eventStore.ts';
import type { AppendContext, CommandDeps } from './handle.ts';
import { handleStream } from './loadStream.ts';

/** A caller's request to change a stream. */
export interface StreamRequest {
  readonly streamId: string;
  readonly caller: Caller;
}

export interface StreamChanged {
  readonly aggregate: StreamAggregate;
  /** `null` if there was nothing to append. */
  readonly position: Position | null;
}

/** Throws 404 for an unknown stream, and for another user's unless the caller has one of the roles. */
export const requireOwn = (aggregate: StreamAggregate | null, caller: Caller, roles: readonly Role[]): StreamAggregate => {
  if (!aggregate || (aggregate.stream.creatorId !== caller.subject && !hasRole(caller, ...roles))) throw notFound('stream');
  return aggregate;
};

/**
 * Changes a stream for its owner, or for a caller with one of the `roles`. Rejects with a `Problem` 404 for any other caller, and with whatever `decide`
 * throws.
 */
export const changeOwnStream = async (
  deps: CommandDeps,
  { streamId, caller, roles = [] }: StreamRequest & { readonly roles?: readonly Role[] },
  decide: (aggregate: StreamAggregate) => readonly StreamEvent[],
  context: AppendContext,
): Promise<StreamChanged> => {
  const { state, position } = await handleStream(deps, streamId, (aggregate) => decide(requireOwn(aggregate, caller, roles)), context);
  return { aggregate: requireOwn(state, caller, roles), position };
};
