import type { StreamAggregate } from '../../domain/stream/state.ts';
import { unlessDamaged } from '../../stores/integrity/damage.ts';
import type { CommandDeps } from '../handle.ts';
import { loadStream } from '../loadStream.ts';
import { heldFor, type Release, type RunningStreams } from './openStreams.ts';

export interface PlaceDeps extends Pick<CommandDeps, 'log'> {
  readonly runningStreams: RunningStreams;
}

/** Most event streams that a refusal reads; a user with a higher limit waits for the policy of open streams. */
const LOOKED_AT = 32;

/** Whether the user may not start another stream now. Only a hint, like `RunningStreams.isFull`. Rejects with 503 if the server accepts no more streams. */
export const isFull = async (deps: PlaceDeps, owner: string): Promise<boolean> => {
  await deps.runningStreams.refuseAboveTotal();
  if (!(await deps.runningStreams.isFull(owner))) return false;
  await releaseEnded(deps, owner);
  return deps.runningStreams.isFull(owner);
};

/** `RunningStreams.reserve`, after a look whether streams have ended. */
export const reservePlace = async (deps: PlaceDeps, owner: string, holder: string): Promise<Release | null> => {
  const release = await deps.runningStreams.reserve(owner, holder);
  if (release) return release;
  await releaseEnded(deps, owner);
  return deps.runningStreams.reserve(owner, holder);
};

/**
 * The policy of open streams does that too, but follows the log: a user who has just seen a stream end would be refused another until then. The policy
 * may also release one meanwhile, so callers try again whatever the result.
 */
const releaseEnded = async ({ log, runningStreams }: PlaceDeps, owner: string): Promise<void> => {
  const releaseIfEnded = async (holder: string): Promise<void> => {
    const loaded = await unlessDamaged(loadStream(log, heldFor(holder).streamId), null);
    if (attemptIs(loaded, holder) === 'ended') await runningStreams.release(owner, holder);
  };
  await Promise.all((await runningStreams.running(owner, LOOKED_AT)).map(({ holder }) => releaseIfEnded(holder)));
};

/** State of the attempt that holds a place. A place is reserved shortly before its attempt begins: until then it is `awaited`. */
export const attemptIs = (loaded: StreamAggregate | null, holder: string): 'awaited' | 'running' | 'ended' => {
  const { attempt } = heldFor(holder);
  if (!loaded || loaded.stream.attempt < attempt) return 'awaited';
  return loaded.stream.attempt === attempt && loaded.stream.state === 'READY' ? 'running' : 'ended';
};
