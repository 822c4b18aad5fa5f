import type { Position } from '../stores/eventStore.ts';
import type { UserCheckpoint, UserCheckpoints } from './facts/userCheckpoints.ts';
import { earlier, type HeldPartition } from './partition.ts';
import type { UserDeliveries } from './userDeliveries.ts';

export interface SaverDeps {
  readonly checkpoints: UserCheckpoints;
  readonly partitions: () => readonly HeldPartition[];
  readonly usersOf: (partition: HeldPartition) => [string, UserDeliveries][];
  /** Called after each save. */
  readonly onSaved: () => void;
}

/**
 * Saves how far the partitions have been read, and where the fold of each user's facts can start. A checkpoint only saves time: without it, the next
 * holder reads more of the log and schedules nothing twice.
 */
export class CheckpointSaver {
  readonly #deps: SaverDeps;
  /** By user: the position of the last fact in the saved checkpoint. */
  readonly #saved = new Map<string, Position>();

  constructor(deps: SaverDeps) {
    this.#deps = deps;
  }

  forget(subject: string): void {
    this.#saved.delete(subject);
  }

  /** Saves what has changed. Rejects with `StoreUnavailable`: what a store cannot take is read again at the next start. */
  async save(): Promise<void> {
    await Promise.all(this.#deps.partitions().map((partition) => this.savePartition(partition)));
    this.#deps.onSaved();
  }

  async savePartition(partition: HeldPartition): Promise<void> {
    // The position first: the facts of everything before it are durable, and in the checkpoints taken afterwards.
    const users = this.#deps.usersOf(partition);
    const position = users
      .flatMap(([, { heldBackTo }]) => (heldBackTo === null ? [] : [heldBackTo.at]))
      .reduce(earlier, partition.position);
    const checkpoints: UserCheckpoint[] = [];
    for (const [subject, user] of users) {
      const checkpoint = await user.checkpoint(this.#saved.get(subject));
      if (checkpoint) checkpoints.push({ subject, partition: partition.number, ...checkpoint });
    }
    // The users of a lost partition stopped before their work was durable.
    if (partition.signal.aborted) return;
    if (checkpoints.length === 0 && position === partition.saved) return;
    await this.#deps.checkpoints.save(partition, position, checkpoints);
    partition.saved = position;
    for (const checkpoint of checkpoints) this.#saved.set(checkpoint.subject, checkpoint.position);
  }
}
