import type { Collection } from 'mongodb';
import type { Clock } from '../../clock.ts';
import { type Frame, TopicMissing } from '../topics.ts';
import type { Mongo } from './connection.ts';
import { inTime, isDuplicate, reach, translated } from './failures.ts';
import { patiently } from './patience.ts';

interface FrameRecord {
  /** `<topic>/<generation>/<sequence>`: readers query ids, which every server finds by its first index. */
  readonly _id: string;
  readonly at: number;
  /** Bytes of all frames up to this one. */
  readonly bytes: number;
  readonly data: Buffer;
}

export interface NewFrame extends Frame {
  readonly bytes: number;
}

const DELETED_TOGETHER = 500;

/** The frames of topics: ids without gaps, written from first to last and deleted from last to first. */
export class Frames {
  readonly #frames: Collection<FrameRecord>;
  readonly #clock: Clock;

  constructor({ database }: Mongo, clock: Clock) {
    this.#frames = database.collection('frames', { promoteBuffers: true });
    this.#clock = clock;
  }

  /**
   * Repeats inserts that may have failed: the ids show what was stored. Rejects with `StoreUnavailable` if their number cannot be determined, and
   * with `TopicMissing` if another writer's frames are in their place.
   */
  async insert(topic: string, generation: string, frames: readonly NewFrame[]): Promise<void> {
    let left: FrameRecord[] = frames.map(({ sequence, at, bytes, data }) => ({
      _id: idOf(topic, generation, sequence),
      at,
      bytes,
      data: Buffer.isBuffer(data) ? data : Buffer.from(data.buffer, data.byteOffset, data.byteLength),
    }));
    await patiently(this.#clock, async () => {
      try {
        await inTime(this.#frames.insertMany(left, { ordered: true }));
        return;
      } catch (error) {
        if (!isDuplicate(error)) throw translated(error);
      }
      const present = await this.#byId(left.map(({ _id }) => _id));
      if (left.some((one) => !isSame(one, present.get(one._id) ?? one))) throw new TopicMissing(topic);
      left = left.filter(({ _id }) => !present.has(_id));
      if (left.length > 0) await reach(this.#frames.insertMany(left, { ordered: true }));
    });
  }

  /** At most `count` frames from `first` on, up to the first missing one. */
  async get(topic: string, generation: string, first: number, count: number): Promise<Frame[]> {
    const ids = Array.from({ length: count }, (_, n) => idOf(topic, generation, first + n));
    const present = await this.#byId(ids);
    const found: Frame[] = [];
    for (const id of ids) {
      const record = present.get(id);
      if (!record) break;
      found.push({ sequence: first + found.length, at: record.at, data: record.data });
    }
    return found;
  }

  /** One request, however many frames. */
  async #byId(ids: readonly string[]): Promise<ReadonlyMap<string, FrameRecord>> {
    const [only] = ids;
    const query = this.#frames.find({ _id: only !== undefined && ids.length === 1 ? only : { $in: [...ids] } });
    return new Map((await reach(query.toArray())).map((record) => [record._id, record]));
  }

  /** Number of frames, and their bytes. Reads only a few ids, since those of a topic have no gaps. */
  async end(topic: string, generation: string): Promise<{ frames: number; bytes: number }> {
    const bytesUpTo = async (sequence: number): Promise<number | null> => {
      const record = await reach(this.#frames.findOne({ _id: idOf(topic, generation, sequence) }, { projection: { bytes: 1 } }));
      return record?.bytes ?? null;
    };
    let last = -1;
    let bytes = 0;
    let missing = 1;
    for (let next = await bytesUpTo(0); next !== null; next = await bytesUpTo(missing - 1)) {
      [last, bytes, missing] = [missing - 1, next, missing * 2];
    }
    missing -= 1;
    while (missing - last > 1) {
      const middle = Math.floor((last + missing) / 2);
      const there = await bytesUpTo(middle);
      if (there === null) missing = middle;
      else [last, bytes] = [middle, there];
    }
    return { frames: last + 1, bytes };
  }

  /** Deletes the frames from last to first, so that an interrupted call can be repeated. `known`: the largest possible number of frames. */
  async remove(topic: string, generation: string, known?: number): Promise<void> {
    let left = known ?? (await this.end(topic, generation)).frames;
    while (left > 0) {
      const first = Math.max(0, left - DELETED_TOGETHER);
      const ids = Array.from({ length: left - first }, (_, n) => idOf(topic, generation, left - 1 - n));
      await reach(this.#frames.bulkWrite(ids.map((_id) => ({ deleteOne: { filter: { _id } } }))));
      left = first;
    }
  }
}

const isSame = (one: FrameRecord, other: FrameRecord | undefined): boolean =>
  other !== undefined && one.bytes === other.bytes && one.at === other.at && one.data.equals(other.data);

const idOf = (topic: string, generation: string, sequence: number): string => `${topic}/${generation}/${sequence}`;
