import type { Clock } from '../clock.ts';
import { topicNamesOf } from '../domain/stream/attempts.ts';
import * as decide from '../domain/stream/decisions.ts';
import type { StreamAggregate } from '../domain/stream/state.ts';
import { topicId } from '../domain/stream/streamConfiguration.ts';
import { transcriptEventStream } from '../domain/transcript/events.ts';
import type { Position } from '../stores/eventStore.ts';
import type { Keys } from '../stores/keys/openKeys.ts';
import type { Topics } from '../stores/topics.ts';
import { cancelIfRunning, loadOwnStream, type StreamRequest } from './changeOwnStream.ts';
import type { AppendContext, CommandDeps } from './handle.ts';
import { handleStream, loadStream } from './loadStream.ts';
import type { Expiries } from './openStreams/expiries.ts';

export interface ExpireDeps extends CommandDeps {
  readonly keys: Pick<Keys, 'destroyEventStreamKey'>;
  readonly topics: Topics;
}

export interface DeleteDeps extends ExpireDeps {
  readonly expiries: Expiries;
  readonly clock: Clock;
}

/** Deletes all topics of a stream. Repeatable. */
const deleteStreamBytes = async (topics: Topics, aggregate: StreamAggregate): Promise<void> => {
  await Promise.all(topicNamesOf(aggregate).map((name) => topics.delete(topicId(name))));
};

/**
 * Deletes the bytes of an ended stream, records its expiry, then destroys the key of its corrections. Repeatable; if interrupted, call it again. `position` is `null` if nothing was
 * appended: the stream is unknown, already EXPIRED, or still running (then nothing is deleted).
 */
export const expireStream = async (
  deps: ExpireDeps,
  { streamId, reason }: { streamId: string; reason: string },
  context: AppendContext,
): Promise<Position | null> => {
  const loaded = await loadStream(deps.log, streamId);
  return loaded && expireLoaded(deps, loaded, reason, context);
};

/** `expireStream` of a stream that was just loaded. */
export const expireLoaded = async (
  deps: ExpireDeps,
  loaded: StreamAggregate,
  reason: string,
  context: AppendContext,
): Promise<Position | null> => {
  const { streamId, state } = loaded.stream;
  if (state === 'READY') return null;
  await deleteStreamBytes(deps.topics, loaded);
  const { position } = await handleStream(deps, streamId, (current) => decide.expireStream(current, reason), context);
  // After the event: an edit makes its key first, then looks whether the stream has expired.
  await deps.keys.destroyEventStreamKey(transcriptEventStream(streamId));
  return position;
};

const DELETED_BY_USER = 'Deleted by user';

/**
 * Deletes a stream's data on request: cancels it if necessary, deletes the bytes, and makes it EXPIRED. Does nothing for an EXPIRED one. `position`
 * is that of the last appended event. Rejects with a `Problem` 404 for an unknown stream, and for another's unless the caller is an admin.
 */
export const deleteStream = async (
  deps: DeleteDeps,
  { streamId, caller }: StreamRequest,
  context: AppendContext,
): Promise<{ position: Position | null }> => {
  const found = await loadOwnStream(deps.log, { streamId, caller });
  if (found.stream.state === 'EXPIRED') return { position: null };
  // Recorded first, so that the retention policy completes an interrupted deletion.
  await deps.expiries.replace({ streamId, retention: 'deleted', since: deps.clock.now() });
  return { position: await carryOutDeletion(deps, streamId, context) };
};

/** Continues a requested deletion from any state. Repeatable. */
export const carryOutDeletion = async (deps: DeleteDeps, streamId: string, context: AppendContext): Promise<Position | null> => {
  await cancelIfRunning(deps, streamId, context);
  const position = await expireStream(deps, { streamId, reason: DELETED_BY_USER }, context);
  await deps.expiries.remove(streamId);
  return position;
};
