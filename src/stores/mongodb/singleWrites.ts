import type { Filter } from 'mongodb';
import type { Clock } from '../../clock.ts';
import { Gathering } from '../gathering.ts';
import type { Collections } from './collections.ts';
import type { DocumentRecord } from './documentForm.ts';
import { reach } from './failures.ts';
import { Inserts } from './inserts.ts';

/** In one request. */
const MOST_REMOVED = 500;

interface Writes {
  readonly inserts: Inserts<DocumentRecord>;
  /** Unfinished creations by id. */
  readonly creating: Map<string, Promise<boolean>>;
  readonly removals: Gathering<Filter<DocumentRecord>, true>;
}

/**
 * Documents that are created and removed one by one, by many callers. Each collection has one request at a time for creations and one for removals. A
 * removal waits for an unfinished creation of the same document.
 */
export class SingleWrites {
  readonly #collections: Collections;
  readonly #clock: Clock;
  readonly #writes = new Map<string, Writes>();

  constructor(collections: Collections, clock: Clock) {
    this.#collections = collections;
    this.#clock = clock;
  }

  /** `false` if its id was taken. */
  create(collection: string, record: DocumentRecord): Promise<boolean> {
    const { inserts, creating } = this.#in(collection);
    const inserting = inserts.insert(record).finally(() => {
      if (creating.get(record._id) === inserting) creating.delete(record._id);
    });
    creating.set(record._id, inserting);
    return inserting;
  }

  async remove(collection: string, filter: Filter<DocumentRecord> & { readonly _id: string }): Promise<void> {
    const { removals, creating } = this.#in(collection);
    await creating.get(filter._id)?.catch(() => undefined);
    await removals.add(filter);
  }

  #in(collection: string): Writes {
    const known = this.#writes.get(collection);
    if (known) return known;
    const writes = this.#open(collection);
    this.#writes.set(collection, writes);
    return writes;
  }

  #open(collection: string): Writes {
    const clock = this.#clock;
    const there = () => this.#collections.named(collection);
    const inserts = new Inserts<DocumentRecord>({
      clock,
      insertOne: (record) => there().insertOne(record),
      insertMany: (records) => there().insertMany(records, { ordered: false }),
      areStored: async (records) => {
        const ids = records.map(({ _id }) => _id);
        const present = await there()
          .find({ _id: { $in: ids } }, { projection: { maker: 1 } })
          .toArray();
        const makers = new Map(present.map(({ _id, maker }) => [_id, maker]));
        return records.map(({ _id, maker }) => (makers.has(_id) ? makers.get(_id) === maker : null));
      },
    });
    const remove = async (filters: readonly Filter<DocumentRecord>[]) => {
      const operations = filters.map((filter) => ({ deleteOne: { filter } }));
      await reach<unknown>(there().bulkWrite(operations, { ordered: false }));
      return filters.map((): true => true);
    };
    return { inserts, creating: new Map(), removals: new Gathering({ clock, most: MOST_REMOVED, send: remove }) };
  }
}
