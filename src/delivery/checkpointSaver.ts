import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Position } from '../stores/eventStore.ts';
import type { UserCheckpoint, UserCheckpoints } from './facts/userCheckpoints.ts';
import { earlier, type HeldPartition } from './partition.ts';
import type { UserDeliveries } from './userDeliveries.ts';

export interface SaverDeps {
  readonly checkpoints: UserCheckpoints;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborts when the deliverer stops: then the last save is up to it. */
  readonly stopping: AbortSignal;
  readonly partitions: () => readonly HeldPartition[];
  readonly usersOf: (partition: HeldPartition) => [string, UserDeliveries][];
  /** Called after each save. */
  readonly onSaved: () => void;
}

/**
 * Long, because each save writes all endpoints of a user, and there may be 50,000. At the same moments as those of consumers, so that a store can write
 * them together.
 */
const SAVE_MILLISECONDS = 10_000;

/**
 * Saves how far the partitions have been read, and where the fold of each user's facts can start. A checkpoint only saves time: without it, the next
 * holder reads more of the log and schedules nothing twice.
 */
export class CheckpointSaver {
  readonly #deps: SaverDeps;
  /** By user: the position of the last fact in the saved checkpoint. */
  readonly #saved = new Map<string, Position>();
  #unsaved = false;
  /** Under way while something is unsaved, so that a deliverer at rest has no timer. */
  #saving: Promise<void> | null = null;

  constructor(deps: SaverDeps) {
    this.#deps = deps;
  }

  /** There is more to save. */
  progressed(): void {
    this.#unsaved = true;
    this.#saving ??= this.#saveLater();
  }

  forget(subject: string): void {
    this.#saved.delete(subject);
  }

  /** The last save, after the deliverer has stopped. What a store cannot take is read again at the next start. */
  async finish(): Promise<void> {
    await this.#saving;
    await this.#save().catch(() => undefined);
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

  /** Never rejects: what a store could not take is saved later. */
  async #saveLater(): Promise<void> {
    const { clock, logger, stopping } = this.#deps;
    const untilNextMoment = () => SAVE_MILLISECONDS - (clock.monotonic() % SAVE_MILLISECONDS);
    while (this.#unsaved && (await clock.pause(untilNextMoment(), stopping)) === 'elapsed') {
      this.#unsaved = false;
      try {
        await this.#save();
      } catch (error) {
        this.#unsaved = true;
        logger.debug({ err: error }, 'saving delivery checkpoints failed; retrying');
      }
    }
    this.#saving = null;
  }

  async #save(): Promise<void> {
    await Promise.all(this.#deps.partitions().map((partition) => this.savePartition(partition)));
    this.#deps.onSaved();
  }
}
