import type { Clock } from '../clock.ts';
import { type Caller, hasRole } from '../domain/credentials/caller.ts';
import { notFound } from '../domain/problem.ts';
import { topicNamesOf } from '../domain/stream/attempts.ts';
import { expireStream as expire } from '../domain/stream/decisions.ts';
import type { StreamAggregate } from '../domain/stream/state.ts';
import { topicId } from '../domain/stream/streamConfiguration.ts';
import type { Position } from '../stores/eventStore.ts';
import type { Topics } from '../stores/topics.ts';
import { cancelIfRunning } from './cancelStream.ts';
import type { Expiries } from './expiries.ts';
import type { AppendContext, CommandDeps } from './handle.ts';
import { decideStream, loadStream } from './loadStream.ts';

export interface ExpireDeps extends CommandDeps {
  readonly topics: Topics;
}

export interface DeleteDeps extends ExpireDeps {
  readonly expiries: Expiries;
  readonly clock: Clock;
}

/** Deletes everything that a stream has in topics. Repeatable. */
const deleteStreamBytes = async (topics: Topics, aggregate: StreamAggregate): Promise<void> => {
  await Promise.all(topicNamesOf(aggregate).map((name) => topics.delete(topicId(name))));
};

/**
 * Deletes the bytes of an ended stream, then says so in the log: an EXPIRED stream has none. Repeatable; cut off in between, it is to be repeated.
 * `position` is `null` when nothing was appended: there is no such stream, it is EXPIRED already, or it has not ended (then nothing is deleted).
 */
export const expireStream = async (
  deps: ExpireDeps,
  { streamId, reason }: { streamId: string; reason: string },
  context: AppendContext,
): Promise<Position | null> => {
  const loaded = await loadStream(deps.log, streamId);
  if (!loaded || loaded.stream.state === 'READY') return null;
  await deleteStreamBytes(deps.topics, loaded);
  return (await decideStream(deps, streamId, (state) => expire(state, reason), context)).position;
};

const DELETED_BY_USER = 'Deleted by user';

/**
 * Deletes a stream's data on request: cancels it if need be, deletes the bytes, then it is EXPIRED. Nothing for one that is. `position` is that of
 * the last event appended. Rejects with a `Problem` 404 for an unknown one, and for another's unless the caller is an admin.
 */
export const deleteStream = async (
  deps: DeleteDeps,
  { streamId, caller }: { streamId: string; caller: Caller },
  context: AppendContext,
): Promise<{ position: Position | null }> => {
  const found = await loadStream(deps.log, streamId);
  if (!found || (found.stream.creatorId !== caller.subject && !hasRole(caller, 'admin'))) throw notFound('stream');
  if (found.stream.state === 'EXPIRED') return { position: null };
  // Noted first: what cuts this off leaves it to the retention policy.
  await deps.expiries.renote({ streamId, retention: 'deleted', since: deps.clock.now() });
  return { position: await carryOutDeletion(deps, streamId, context) };
};

/** A deletion that was asked for, from wherever it stands. Repeatable. */
export const carryOutDeletion = async (deps: DeleteDeps, streamId: string, context: AppendContext): Promise<Position | null> => {
  await cancelIfRunning(deps, streamId, context);
  const position = await expireStream(deps, { streamId, reason: DELETED_BY_USER }, context);
  await deps.expiries.done(streamId);
  return position;
};
