import type { Readable } from 'node:stream';
import type { DiskSpace } from '../../stores/diskSpace.ts';
import { lengthOf, type Topics } from '../../stores/topics.ts';
import type { HeldMemory, MemoryBudget } from '../limits/memoryBudget.ts';
import { checkRoom } from '../route/admission.ts';

export interface FrameDeps {
  readonly topics: Pick<Topics, 'append'>;
  readonly disk: DiskSpace;
  readonly memory: MemoryBudget;
}

interface ArrivedFrame {
  readonly topic: string;
  readonly frame: readonly Uint8Array[];
  readonly source: Readable;
  /** Subject of the owner. */
  readonly owner: string;
  readonly held: HeldMemory;
  /** Aborts when nothing more is read. */
  readonly signal: AbortSignal;
}

/** Appends a frame of a body that is being read. While memory is full, nothing more is read during the write. Throws 503 without room on the disk. */
export const appendFrame = (deps: FrameDeps, { topic, frame, source, owner, held, signal }: ArrivedFrame): Promise<number> => {
  const bytes = lengthOf(frame);
  checkRoom(deps.disk, bytes);
  held.add(bytes);
  const isFull = deps.memory.isFull(owner);
  if (isFull) source.pause();
  return deps.topics.append(topic, [frame]).finally(() => {
    held.give(bytes);
    if (isFull && !signal.aborted) source.resume();
  });
};
