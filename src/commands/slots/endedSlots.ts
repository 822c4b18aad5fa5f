import type { StreamAggregate } from '../../domain/stream/state.ts';
import { unlessDamaged } from '../../stores/integrity/damage.ts';
import type { CommandDeps } from '../handle.ts';
import { loadStream } from '../loadStream.ts';
import { heldFor, type Slots } from './slots.ts';

export interface SlotDeps extends Pick<CommandDeps, 'log'> {
  readonly slots: Slots;
}

/** Most event streams that a refusal reads; a user with a higher limit waits for the completion policy. */
const LOOKED_AT = 32;

/** Whether the user may not start another stream now. Only a hint, like `Slots.isFull`. Rejects with 503 if the server accepts no more streams. */
export const isFull = async (deps: SlotDeps, subject: string): Promise<boolean> => {
  await deps.slots.refuseAboveTotal();
  if (!(await deps.slots.isFull(subject))) return false;
  await freeEnded(deps, subject);
  return deps.slots.isFull(subject);
};

/**
 * Takes a slot for an attempt of a stream (`slotHolder`). `false` if the user already runs as many streams as the limit allows. Rejects with 503 if
 * the server accepts no more streams.
 */
export const takeSlot = async (deps: SlotDeps, subject: string, holder: string): Promise<boolean> => {
  if (await deps.slots.take(subject, holder)) return true;
  await freeEnded(deps, subject);
  return deps.slots.take(subject, holder);
};

/**
 * Frees slots of ended streams. The completion policy does that too, but follows the log: a user who has just seen a stream end would be refused
 * another until then. The policy may also free one meanwhile, so callers try again whatever the result.
 */
const freeEnded = async ({ log, slots }: SlotDeps, subject: string): Promise<void> => {
  const freeIfEnded = async (holder: string): Promise<void> => {
    const loaded = await unlessDamaged(loadStream(log, heldFor(holder).streamId), null);
    if (attemptIs(loaded, holder) === 'ended') await slots.free(subject, holder);
  };
  await Promise.all((await slots.heldBy(subject, LOOKED_AT)).map(freeIfEnded));
};

/** State of the attempt that holds a slot. A slot is taken shortly before its attempt begins: until then it is `awaited`. */
export const attemptIs = (loaded: StreamAggregate | null, holder: string): 'awaited' | 'running' | 'ended' => {
  const { attempt } = heldFor(holder);
  if (!loaded || loaded.stream.attempt < attempt) return 'awaited';
  return loaded.stream.attempt === attempt && loaded.stream.state === 'READY' ? 'running' : 'ended';
};
