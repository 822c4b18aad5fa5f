import { LRUCache } from 'lru-cache';
import type { Collection } from 'mongodb';
import type { Clock } from '../../clock.ts';
import { type Checkpoint, StaleEpoch } from '../documents.ts';
import { type Position, StoreUnavailable } from '../eventStore.ts';
import { Gathering } from '../gathering.ts';
import { inTime, isDuplicate, reach, translated, unlessTaken } from './failures.ts';

interface CheckpointRecord {
  readonly _id: string;
  readonly position: string | null;
  readonly epoch: number;
}

/** `new`: there was no checkpoint of this name. */
type Written = 'new' | 'replaced';

/** Each further round means that another writer created the record at the same moment. */
const MOST_ROUNDS = 20;
const REMEMBERED_EPOCHS = 1_000;
/** In one request. */
const MOST = 500;
/** How long the first write waits for others. Read models that handle the same events end a few milliseconds apart. */
const TOGETHER_MILLISECONDS = 10;

/**
 * The checkpoints of all followers of the log. An older epoch never overwrites a newer one. One command at a time writes all checkpoints that came
 * since the previous one: read models that handle the same event write theirs together.
 */
export class Checkpoints {
  readonly #records: Collection<CheckpointRecord>;
  readonly #writes: Gathering<Checkpoint, Written>;
  /** By name, the epoch that the last check allowed. If another node has stored a newer one since, the filter of the write detects it. */
  readonly #allowed = new LRUCache<string, number>({ max: REMEMBERED_EPOCHS });

  constructor(records: Collection<CheckpointRecord>, clock: Clock) {
    this.#records = records;
    this.#writes = new Gathering({
      ...{ clock, most: MOST, pause: TOGETHER_MILLISECONDS },
      keyOf: ({ name }) => name,
      send: (checkpoints) => this.#writeTogether(checkpoints),
    });
  }

  async read(name: string): Promise<Checkpoint | null> {
    const record = await reach(this.#records.findOne({ _id: name }));
    return record && checkpointOf(record);
  }

  async delete(name: string): Promise<void> {
    this.#allowed.delete(name);
    await reach(this.#records.deleteOne({ _id: name }));
  }

  /** Rejects with `StaleEpoch` if a newer epoch is known. Asks once per epoch, because every holder of a lease has another. */
  async refuseStale({ name, epoch }: Pick<Checkpoint, 'name' | 'epoch'>): Promise<void> {
    if (this.#allowed.get(name) === epoch) return;
    const stored = await this.read(name);
    if (stored && stored.epoch > epoch) throw new StaleEpoch(name);
    this.#allowed.set(name, epoch);
  }

  /** Rejects with `StaleEpoch`. */
  write(checkpoint: Checkpoint): Promise<Written> {
    return this.#writes.add(checkpoint);
  }

  async #writeTogether(checkpoints: readonly Checkpoint[]): Promise<readonly (Written | Error)[]> {
    try {
      const operations = checkpoints.map((checkpoint) => ({ replaceOne: { ...guarded(checkpoint), upsert: true } }));
      const { upsertedIds } = await inTime(this.#records.bulkWrite(operations, { ordered: false }));
      return checkpoints.map((_, n) => (n in upsertedIds ? 'new' : 'replaced'));
    } catch (error) {
      if (!isDuplicate(error)) throw translated(error);
    }
    // One has a newer epoch, or another writer just made it. Some servers end the bulk there.
    return Promise.all(checkpoints.map((checkpoint) => this.#writeAlone(checkpoint).catch((error: Error) => error)));
  }

  async #writeAlone(checkpoint: Checkpoint): Promise<Written> {
    const { filter, replacement } = guarded(checkpoint);
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      if (await unlessTaken(this.#records.replaceOne(filter, replacement, { upsert: true }))) return 'replaced';
      this.#allowed.delete(checkpoint.name);
      await this.refuseStale(checkpoint);
    }
    throw new StoreUnavailable(`checkpoint ${checkpoint.name}: other writers were faster ${MOST_ROUNDS} times`);
  }
}

const guarded = ({ name, position, epoch }: Checkpoint) => ({
  filter: { _id: name, epoch: { $lte: epoch } },
  replacement: { position, epoch },
});

/** Only this adapter writes the records. */
const checkpointOf = ({ _id, position, epoch }: CheckpointRecord): Checkpoint => ({
  name: _id,
  position: position as Position | null,
  epoch,
});
