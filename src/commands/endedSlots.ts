import type { CommandDeps } from './handle.ts';
import { loadStream } from './loadStream.ts';
import type { Slots } from './slots.ts';

export interface SlotDeps extends Pick<CommandDeps, 'log'> {
  readonly slots: Slots;
}

/** A refusal reads no more event streams than this; who may run more at once can wait for the completion policy. */
const LOOKED_AT = 32;

/** Whether the user may not begin another stream now. Decides nothing, as `Slots.isFull`. */
export const isFull = async (deps: SlotDeps, subject: string): Promise<boolean> => {
  if (!(await deps.slots.isFull(subject))) return false;
  await freeEnded(deps, subject);
  return deps.slots.isFull(subject);
};

/** `false` when the user runs as many streams as the limit allows. */
export const takeSlot = async (deps: SlotDeps, subject: string, streamId: string): Promise<boolean> => {
  if (await deps.slots.take(subject, streamId)) return true;
  await freeEnded(deps, subject);
  return deps.slots.take(subject, streamId);
};

/**
 * The completion policy gives back the slots of ended streams, but follows the log: who has just seen a stream end would be refused another until it
 * comes to that. It may come to that meanwhile: whoever asked looks again, whatever was found here.
 */
const freeEnded = async ({ log, slots }: SlotDeps, subject: string): Promise<void> => {
  const freeIfEnded = async (streamId: string): Promise<void> => {
    const loaded = await loadStream(log, streamId);
    if (loaded && loaded.stream.state !== 'READY') await slots.free(subject, streamId);
  };
  await Promise.all((await slots.heldBy(subject, LOOKED_AT)).map(freeIfEnded));
};
