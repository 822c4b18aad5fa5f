import { LRUCache } from 'lru-cache';
import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { Clock } from '../../clock.ts';
import { type Checkpoint, StaleEpoch } from '../documents.ts';
import { type Position, StoreUnavailable } from '../eventStore.ts';
import { inTime, isDuplicate, reach, translated } from './failures.ts';

interface CheckpointRecord {
  readonly _id: string;
  readonly position: string | null;
  readonly epoch: number;
}

interface Written {
  /** There was no checkpoint of this name. */
  readonly isNew: boolean;
}

interface Waiting {
  readonly checkpoint: Checkpoint;
  rounds: number;
  readonly resolve: (written: Written) => void;
  readonly reject: (error: unknown) => void;
}

/** Each further round means that another writer created the record at the same moment. */
const MOST_ROUNDS = 20;
const REMEMBERED_EPOCHS = 1_000;
/** How long the first write waits for others. Read models that handle the same events end a few milliseconds apart. */
const TOGETHER_MILLISECONDS = 10;

/**
 * The checkpoints of all followers of the log. An older epoch never overwrites a newer one. One command at a time writes all checkpoints that came
 * since the previous one: read models that handle the same event write theirs together.
 */
export class Checkpoints {
  readonly #records: Collection<CheckpointRecord>;
  readonly #clock: Clock;
  /** By name, the epoch that the last check allowed. If another node has stored a newer one since, the filter of the write detects it. */
  readonly #allowed = new LRUCache<string, number>({ max: REMEMBERED_EPOCHS });
  #waiting: Waiting[] = [];
  #working = false;

  constructor(records: Collection<CheckpointRecord>, clock: Clock) {
    this.#records = records;
    this.#clock = clock;
  }

  async read(name: string): Promise<Checkpoint | null> {
    const record = await reach(this.#records.findOne({ _id: name }));
    return record && checkpointOf(record);
  }

  async delete(name: string): Promise<void> {
    this.#allowed.delete(name);
    await reach(this.#records.deleteOne({ _id: name }));
  }

  /**
   * Rejects with `StaleEpoch` if a newer epoch is known. Asks once per epoch, because every holder of a lease has another.
   */
  async refuseStale({ name, epoch }: Pick<Checkpoint, 'name' | 'epoch'>): Promise<void> {
    if (this.#allowed.get(name) === epoch) return;
    const stored = await this.read(name);
    if (stored && stored.epoch > epoch) throw new StaleEpoch(name);
    this.#allowed.set(name, epoch);
  }

  /** Rejects with `StaleEpoch`. */
  write(checkpoint: Checkpoint): Promise<Written> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ checkpoint, rounds: 0, resolve, reject });
      if (!this.#working) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#working = true;
    await this.#clock.pause(TOGETHER_MILLISECONDS);
    while (this.#waiting.length > 0) await this.#writeTogether(this.#take());
    this.#working = false;
  }

  /** Takes the oldest waiting write of each name: those of one name stay in order. */
  #take(): Waiting[] {
    const taken = new Map<string, Waiting>();
    const left: Waiting[] = [];
    for (const one of this.#waiting) {
      if (taken.has(one.checkpoint.name)) left.push(one);
      else taken.set(one.checkpoint.name, one);
    }
    this.#waiting = left;
    return [...taken.values()];
  }

  /** Settles each write, or returns it to the queue for another round. */
  async #writeTogether(writes: readonly Waiting[]): Promise<void> {
    try {
      const operations = writes.map(({ checkpoint }) => guarded(checkpoint));
      const { upsertedIds } = await inTime(this.#records.bulkWrite(operations, { ordered: false }));
      for (const [n, { resolve }] of writes.entries()) resolve({ isNew: n in upsertedIds });
      return;
    } catch (error) {
      if (!isDuplicate(error)) {
        for (const { reject } of writes) reject(translated(error));
        return;
      }
    }
    await this.#settleByRecords(writes).catch((error: unknown) => {
      for (const { reject } of writes) reject(error);
    });
  }

  /** After a duplicate key: some records have a newer epoch, or another writer just made them. Some servers end the whole bulk at the first one. */
  async #settleByRecords(writes: readonly Waiting[]): Promise<void> {
    const ids = writes.map(({ checkpoint }) => checkpoint.name);
    const records = await reach(this.#records.find({ _id: { $in: ids } }).toArray());
    const stored = new Map(records.map((record) => [record._id, record]));
    for (const one of writes) {
      const { name, position, epoch } = one.checkpoint;
      const there = stored.get(name);
      one.rounds += 1;
      if (there && there.epoch > epoch) {
        this.#allowed.delete(name);
        one.reject(new StaleEpoch(name));
      } else if (there && there.epoch === epoch && there.position === position) one.resolve({ isNew: false });
      else if (one.rounds < MOST_ROUNDS) this.#waiting.unshift(one);
      else one.reject(new StoreUnavailable(`checkpoint ${name}: other writers were faster ${MOST_ROUNDS} times`));
    }
  }
}

const guarded = ({ name, position, epoch }: Checkpoint): AnyBulkWriteOperation<CheckpointRecord> => ({
  replaceOne: { filter: { _id: name, epoch: { $lte: epoch } }, replacement: { position, epoch }, upsert: true },
});

/** Only this adapter writes the records. */
const checkpointOf = ({ _id, position, epoch }: CheckpointRecord): Checkpoint => ({
  name: _id,
  position: position as Position | null,
  epoch,
});
