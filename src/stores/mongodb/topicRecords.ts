import type { Collection } from 'mongodb';
import { pages } from '../pages.ts';
import type { Manifest } from '../topics.ts';
import type { Mongo } from './connection.ts';
import { reach } from './failures.ts';
import { Inserts } from './inserts.ts';

/** One record per topic with its current state. Its frames are stored separately, under the generation. */
export interface TopicRecord {
  readonly _id: string;
  /** Changes whenever the topic is restarted, so that late frames of an earlier writer are never among the new ones. */
  readonly generation: string;
  /** The previous generation, whose frames may still exist. */
  readonly previous: string | null;
  /** The node that writes it; empty for a whole topic. */
  readonly writer: string;
  /** `open`: unsealed, by an earlier version. Its nodes take the writers of `unsealed` topics for dead, but delete `open` ones only. */
  readonly state: 'unsealed' | 'open' | 'sealed' | 'deleting';
  readonly manifest: StoredManifest | null;
  /** Unix time in milliseconds when a whole topic was stored, made and sealed in one request: its frames are in `data`. Absent for all others. */
  readonly wholeSince?: number;
}

export interface WholeRecord extends TopicRecord {
  readonly data?: readonly Buffer[];
}

interface StoredManifest {
  readonly frames: number;
  readonly bytes: number;
  readonly sha256: string;
  /** JSON text, as bodies of documents are. */
  readonly attributes: string;
}

const PAGE = 500;

/** Reads a record without its frames. */
const WITHOUT_DATA = { projection: { data: 0 } } as const;

/** `null` unless it is sealed. */
export const manifestOf = ({ state, manifest }: TopicRecord): Manifest | null =>
  state === 'sealed' && manifest ? { ...manifest, attributes: JSON.parse(manifest.attributes) } : null;

export const storedManifest = ({ attributes, ...facts }: Manifest): StoredManifest => ({
  ...facts,
  attributes: JSON.stringify(attributes),
});

export const isUnsealed = ({ state }: TopicRecord): boolean => state === 'unsealed' || state === 'open';

/** Whether nothing has changed the record. */
export const isSame = (one: TopicRecord, other: TopicRecord): boolean =>
  one.generation === other.generation && one.writer === other.writer && one.state === other.state;

/** The records of all topics. Every change names the generation that it refers to. */
export class TopicRecords {
  readonly #records: Collection<WholeRecord>;
  readonly #inserts: Inserts<WholeRecord>;

  constructor({ database, clock }: Mongo) {
    const records = database.collection<WholeRecord>('topics', { promoteBuffers: true });
    this.#records = records;
    this.#inserts = new Inserts({
      clock,
      insertOne: (record) => records.insertOne(record),
      insertMany: (made) => records.insertMany(made, { ordered: false }),
      areStored: async (made) => {
        const ids = made.map(({ _id }) => _id);
        const present = await records.find({ _id: { $in: ids } }, { projection: { generation: 1 } }).toArray();
        const generations = new Map(present.map(({ _id, generation }) => [_id, generation]));
        return made.map(({ _id, generation }) => (generations.has(_id) ? generations.get(_id) === generation : null));
      },
    });
  }

  get(topic: string): Promise<TopicRecord | null> {
    return reach(this.#records.findOne({ _id: topic }, WITHOUT_DATA));
  }

  /** Like `get`, with the frames that the record contains. */
  getWhole(topic: string): Promise<WholeRecord | null> {
    return reach(this.#records.findOne({ _id: topic }));
  }

  /** `false` if the topic exists. */
  create(record: WholeRecord): Promise<boolean> {
    return this.#inserts.insert(record);
  }

  /** `false` if the record no longer equals `old`. */
  async replace({ _id, generation, writer, state }: TopicRecord, record: TopicRecord): Promise<boolean> {
    const { matchedCount } = await reach(this.#records.replaceOne({ _id, generation, writer, state }, record));
    return matchedCount > 0;
  }

  /** All records, in the order of their topic ids. */
  async *all(): AsyncIterable<TopicRecord> {
    const read = (last: TopicRecord | undefined): Promise<TopicRecord[]> =>
      reach(this.#records.find({ _id: { $gt: last?._id ?? '' } }, { sort: { _id: 1 }, limit: PAGE, ...WITHOUT_DATA }).toArray());
    for await (const page of pages(read, PAGE)) yield* page;
  }

  async remove({ _id, generation }: TopicRecord): Promise<void> {
    await reach(this.#records.deleteOne({ _id, generation }));
  }
}
