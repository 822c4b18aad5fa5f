import type { AnyBulkWriteOperation, Collection, CreateIndexesOptions, Db } from 'mongodb';
import type { JsonObject } from '../../json.ts';
import { collectionName } from '../documentQuery.ts';
import {
  type Checkpoint,
  type CollectionSpec,
  type Documents,
  type DocumentWrite,
  type FindOptions,
  StaleEpoch,
  type StoredDocument,
} from '../documents.ts';
import { type Position, StoreUnavailable } from '../eventStore.ts';
import type { Mongo } from './connection.ts';
import {
  type DocumentRecord,
  documentOf,
  filterOf,
  indexesOf,
  isDocument,
  isOwnIndex,
  newestOfEach,
  pageOf,
  recordOf,
  textsOf,
} from './documentForm.ts';
import { isDuplicate, isMissingCollection, reach, translated, unlessTaken } from './failures.ts';

export interface MongoDocumentsSettings {
  readonly mongo: Mongo;
  /** What the names of its collections begin with, such as `views`: several kinds of documents share a database. */
  readonly prefix: string;
}

interface CheckpointRecord {
  readonly _id: string;
  readonly position: string | null;
  readonly epoch: number;
}

interface SpecRecord {
  readonly _id: string;
  /** JSON, as declared. */
  readonly indexes: string;
}

/** Each further round means that another writer has made one of the documents meanwhile. */
const MOST_ROUNDS = 20;
/**
 * An index over what is there takes as long as it takes, and a server gives it up when its connection is cut. The driver hands this to the
 * connection; one that goes silent meanwhile is found out by its monitor, which cuts what waits on it.
 */
const PATIENT: CreateIndexesOptions & { readonly socketTimeoutMS: number } = { socketTimeoutMS: 3_600_000 };

/**
 * Documents in MongoDB: `<prefix>.collections` and `<prefix>.checkpoints`, and a collection `<prefix>.doc.<name>` each. No transactions:
 * a batch that was broken off anywhere is repeated by its caller and ends the same.
 */
export const openMongoDocuments = async ({ mongo, prefix }: MongoDocumentsSettings): Promise<Documents> =>
  new MongoDocuments(mongo.database, prefix);

/** Nothing for one whose position, or a newer one, is stored. */
const guarded = ({ id, position, body }: DocumentWrite, stored: string | undefined): AnyBulkWriteOperation<DocumentRecord>[] => {
  const replacement = recordOf(position, body);
  if (stored === undefined) return [{ insertOne: { document: { _id: id, ...replacement } } }];
  return stored < position ? [{ replaceOne: { filter: { _id: id, position: { $lt: position } }, replacement } }] : [];
};

class MongoDocuments implements Documents {
  readonly #database: Db;
  readonly #prefix: string;
  readonly #specRecords: Collection<SpecRecord>;
  readonly #checkpoints: Collection<CheckpointRecord>;
  readonly #specs = new Map<string, CollectionSpec>();

  constructor(database: Db, prefix: string) {
    this.#database = database;
    this.#prefix = prefix;
    this.#specRecords = database.collection(`${prefix}.collections`);
    this.#checkpoints = database.collection(`${prefix}.checkpoints`);
  }

  async ensureCollection(spec: CollectionSpec): Promise<void> {
    const collection = this.#collection(spec.name);
    const wanted = indexesOf(spec);
    const indexes = JSON.stringify(spec.indexes);
    const stored = await reach(this.#specRecords.findOne({ _id: spec.name }));
    if (stored?.indexes !== indexes) {
      // One a command: FerretDB 1.24 fails on a list of which it has more than one already.
      await Promise.all(wanted.map((index) => reach(collection.createIndexes([index], PATIENT))));
      if (stored) await this.#dropOtherIndexes(collection, new Set(wanted.map(({ name }) => name)));
      // Last, so that a declaration which was broken off is made again. Of two at once the same comes out.
      await unlessTaken(this.#specRecords.replaceOne({ _id: spec.name }, { indexes }, { upsert: true }));
    }
    this.#specs.set(spec.name, spec);
  }

  async dropCollection(name: string): Promise<void> {
    const collection = this.#collection(name);
    this.#specs.delete(name);
    await reach(collection.drop());
    await reach(this.#specRecords.deleteOne({ _id: name }));
  }

  async listCollections(prefix: string): Promise<string[]> {
    const records = await reach(this.#specRecords.find().toArray());
    return records.map(({ _id }) => _id).filter((name) => name.startsWith(prefix));
  }

  async get(collection: string, id: string): Promise<StoredDocument | null> {
    await this.#spec(collection);
    const record = await reach(this.#collection(collection).findOne({ _id: id }));
    return record && documentOf(record);
  }

  async getMany(collection: string, ids: readonly string[]): Promise<StoredDocument[]> {
    await this.#spec(collection);
    const records = await reach(
      this.#collection(collection)
        .find({ _id: { $in: [...ids] } })
        .toArray(),
    );
    return records.map(documentOf).filter(isDocument);
  }

  async find(collection: string, options: FindOptions): Promise<StoredDocument[]> {
    const spec = await this.#spec(collection);
    const { sort, skip, limit } = pageOf(spec, options);
    const filter = filterOf(spec, options.where);
    // To MongoDB a limit of 0 is none.
    if (limit === 0) return [];
    const records = await reach(this.#collection(collection).find(filter, { sort, skip, limit }).toArray());
    return records.map(documentOf).filter(isDocument);
  }

  async count(collection: string, where?: FindOptions['where']): Promise<number> {
    const filter = filterOf(await this.#spec(collection), where);
    return reach(this.#collection(collection).countDocuments(filter));
  }

  async writeBatch(collection: string, writes: readonly DocumentWrite[], checkpoint: Checkpoint): Promise<void> {
    if (writes.length > 0) {
      const newest = newestOfEach(writes);
      const [positions] = await Promise.all([this.#positions(collection, newest), this.#refuseStale(checkpoint)]);
      await this.#replaceOlder(collection, newest, positions);
    }
    await this.#writeCheckpoint(checkpoint);
  }

  async readCheckpoint(name: string): Promise<Checkpoint | null> {
    const record = await reach(this.#checkpoints.findOne({ _id: name }));
    // Only this adapter writes it.
    return record && { name, position: record.position as Position | null, epoch: record.epoch };
  }

  async deleteCheckpoint(name: string): Promise<void> {
    await reach(this.#checkpoints.deleteOne({ _id: name }));
  }

  async create(collection: string, id: string, body: JsonObject): Promise<boolean> {
    await this.#spec(collection);
    return unlessTaken(this.#collection(collection).insertOne({ _id: id, ...recordOf('', body) }));
  }

  async replace(collection: string, id: string, body: JsonObject): Promise<boolean> {
    await this.#spec(collection);
    const { matchedCount } = await reach(this.#collection(collection).replaceOne({ _id: id, position: '' }, recordOf('', body)));
    return matchedCount > 0;
  }

  async remove(collection: string, id: string, where: Readonly<Record<string, string>> = {}): Promise<boolean> {
    await this.#spec(collection);
    const { deletedCount } = await reach(this.#collection(collection).deleteOne({ _id: id, position: '', ...textsOf(where) }));
    return deletedCount > 0;
  }

  /** A client cannot make MongoDB write its files anew, nor shorten its oplog: `docs/operations.md` says what an operator can. */
  async purge(): Promise<void> {}

  async close(): Promise<void> {}

  /**
   * What is not there is inserted, which costs a server less than an upsert; what is older is replaced, under a filter that holds the
   * position, since another may come between. An id that another node makes at this moment fails with a duplicate key. Some servers end the
   * whole bulk there, so the positions are read again and what is still older is sent again.
   */
  async #replaceOlder(name: string, writes: readonly DocumentWrite[], read: ReadonlyMap<string, string>): Promise<void> {
    let positions = read;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const operations = writes.flatMap((write) => guarded(write, positions.get(write.id)));
      if (operations.length === 0) return;
      try {
        await this.#collection(name).bulkWrite(operations, { ordered: false });
        return;
      } catch (error) {
        if (!isDuplicate(error)) throw translated(error);
      }
      positions = await this.#positions(name, writes);
    }
    throw new StoreUnavailable(`collection ${name}: other writers came between ${MOST_ROUNDS} times`);
  }

  /** Of those that are there, tombstones too. */
  async #positions(name: string, writes: readonly DocumentWrite[]): Promise<ReadonlyMap<string, string>> {
    await this.#spec(name);
    const collection = this.#collection(name);
    const options = { projection: { position: 1 } };
    const ids = writes.map(({ id }) => id);
    const records = await reach(collection.find({ _id: { $in: ids } }, options).toArray());
    return new Map(records.map(({ _id, position }) => [_id, position]));
  }

  async #writeCheckpoint({ name, position, epoch }: Checkpoint): Promise<void> {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const replaced = this.#checkpoints.replaceOne({ _id: name, epoch: { $lte: epoch } }, { position, epoch }, { upsert: true });
      if (await unlessTaken(replaced)) return;
      // It is there: under a newer epoch, or made by another at this moment.
      await this.#refuseStale({ name, epoch });
    }
    throw new StoreUnavailable(`checkpoint ${name}: other writers came between ${MOST_ROUNDS} times`);
  }

  async #refuseStale({ name, epoch }: Pick<Checkpoint, 'name' | 'epoch'>): Promise<void> {
    const stored = await this.readCheckpoint(name);
    if (stored && stored.epoch > epoch) throw new StaleEpoch(name);
  }

  async #dropOtherIndexes(collection: Collection<DocumentRecord>, wanted: ReadonlySet<string | undefined>): Promise<void> {
    const present = await reach(collection.indexes().catch((error: unknown) => (isMissingCollection(error) ? [] : Promise.reject(error))));
    for (const { name } of present)
      if (name !== undefined && isOwnIndex(name) && !wanted.has(name)) await reach(collection.dropIndex(name));
  }

  #collection(name: string): Collection<DocumentRecord> {
    return this.#database.collection(`${this.#prefix}.doc.${collectionName(name)}`);
  }

  /** Declared by this process, or by another. */
  async #spec(name: string): Promise<CollectionSpec> {
    const known = this.#specs.get(name);
    if (known) return known;
    const record = await reach(this.#specRecords.findOne({ _id: name }));
    if (!record) throw new Error(`collection ${JSON.stringify(name)} has not been declared`);
    const spec: CollectionSpec = { name, indexes: JSON.parse(record.indexes) };
    this.#specs.set(name, spec);
    return spec;
  }
}
