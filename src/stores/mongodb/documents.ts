import type { AnyBulkWriteOperation } from 'mongodb';
import type { JsonObject } from '../../json.ts';
import { pooledRandomBytes } from '../../randomPool.ts';
import { indexedMember, passageTexts, searched } from '../documentQuery.ts';
import {
  type Checkpoint,
  type CollectionSpec,
  type Documents,
  type DocumentWrite,
  type Expected,
  type FindOptions,
  type FullText,
  type ReplacedDocument,
  type SearchOptions,
  StaleEpoch,
  type StoredDocument,
  type Sums,
  type WriteOptions,
} from '../documents.ts';
import { StoreUnavailable } from '../eventStore.ts';
import { Checkpoints } from './checkpoints.ts';
import { Collections } from './collections.ts';
import type { Mongo } from './connection.ts';
import { createdAs, type DocumentRecord, documentOf, filterOf, keyOf, newestOfEach, pageOf, recordOf } from './documentForm.ts';
import { reach, unlessTaken } from './failures.ts';
import { MOST_SEARCHED, Ranking, wordsFilter } from './fullText.ts';
import { SingleWrites } from './singleWrites.ts';

export interface MongoDocumentsSettings {
  readonly mongo: Mongo;
  /** First part of its collections' names, such as `views`, so that several kinds of documents can share a database. */
  readonly prefix: string;
}

const MAKER_BYTES = 9;

/** Each further round means that another writer created one of the documents at the same moment. */
const MOST_ROUNDS = 20;

/**
 * Documents in MongoDB: `<prefix>.collections`, `<prefix>.checkpoints`, and `<prefix>.doc.<name>` for each collection. No transactions:
 * the caller repeats an interrupted batch, and it ends the same.
 */
export const openMongoDocuments = async ({ mongo, prefix }: MongoDocumentsSettings): Promise<Documents> => {
  const collections = new Collections(mongo, prefix);
  await collections.sweep();
  const checkpoints = new Checkpoints(mongo.database.collection(`${prefix}.checkpoints`), mongo.clock);
  return new MongoDocuments(collections, checkpoints, new SingleWrites(collections, mongo.clock));
};

/** Is refused, as the insert of a taken id, if the stored position is as new. */
const guarded = ({ id, position, body }: DocumentWrite, fullText: FullText | undefined): AnyBulkWriteOperation<DocumentRecord> => ({
  replaceOne: { filter: { _id: id, position: { $lt: position } }, replacement: recordOf(position, body, fullText), upsert: true },
});

const membersOf = ({ where = {}, orderBy = [] }: Pick<FindOptions, 'where' | 'orderBy'>): string[] => [
  ...Object.keys(where),
  ...orderBy.map(({ member }) => member),
];

class MongoDocuments implements Documents {
  readonly #collections: Collections;
  readonly #checkpoints: Checkpoints;
  readonly #single: SingleWrites;

  constructor(collections: Collections, checkpoints: Checkpoints, single: SingleWrites) {
    this.#collections = collections;
    this.#checkpoints = checkpoints;
    this.#single = single;
  }

  async ensureCollection(spec: CollectionSpec): Promise<void> {
    await this.#collections.declare(spec);
  }

  async dropCollection(name: string): Promise<void> {
    await this.#collections.drop(name);
  }

  async listCollections(prefix: string): Promise<string[]> {
    return (await this.#collections.list()).filter((name) => name.startsWith(prefix));
  }

  async get(collection: string, id: string): Promise<StoredDocument | null> {
    await this.#collections.spec(collection);
    const record = await reach(this.#collections.named(collection).findOne({ _id: id }));
    return record && documentOf(record);
  }

  async getMany(collection: string, ids: readonly string[]): Promise<StoredDocument[]> {
    await this.#collections.spec(collection);
    const query = this.#collections.named(collection).find({ _id: { $in: [...ids] } });
    const records = await reach(query.toArray());
    return records.flatMap((record) => documentOf(record) ?? []);
  }

  async find(collection: string, options: FindOptions): Promise<StoredDocument[]> {
    const spec = await this.#collections.spec(collection, membersOf(options));
    const { sort, skip, limit } = pageOf(spec, options);
    const filter = filterOf(spec, options);
    // MongoDB treats a limit of 0 as no limit.
    if (limit === 0) return [];
    const records = await reach(this.#collections.named(collection).find(filter, { sort, skip, limit }).toArray());
    return records.flatMap((record) => documentOf(record) ?? []);
  }

  async findIds(collection: string, options: FindOptions): Promise<string[]> {
    const spec = await this.#collections.spec(collection, membersOf(options));
    const { sort, skip, limit } = pageOf(spec, options);
    if (limit === 0) return [];
    const found = this.#collections.named(collection).find(filterOf(spec, options), { sort, skip, limit, projection: { _id: 1 } });
    return (await reach(found.toArray())).map(({ _id }) => _id);
  }

  async search(collection: string, options: SearchOptions): Promise<string[]> {
    const { where, query } = options;
    const spec = await this.#collections.spec(collection, Object.keys(where));
    const fullText = searched(spec, options);
    const filter = { ...filterOf(spec, { where }), ...wordsFilter(query) };
    const cursor = this.#collections
      .named(collection)
      .find(filter, { sort: { [keyOf(fullText.newestBy)]: -1, _id: -1 }, limit: MOST_SEARCHED });
    const ranking = new Ranking(query);
    await reach(
      (async () => {
        for await (const record of cursor) {
          const document = documentOf(record);
          if (document) ranking.add(document.id, passageTexts(document.body, fullText));
        }
      })(),
    );
    return ranking.ids().slice(0, options.limit);
  }

  async count(collection: string, where: FindOptions['where'] = {}): Promise<number> {
    const spec = await this.#collections.spec(collection, membersOf({ where }));
    const there = this.#collections.named(collection);
    if (Object.keys(where).length > 0) return reach(there.countDocuments(filterOf(spec, { where })));
    // With two indexes, because a filter that excludes tombstones would read every body.
    const all = await reach(there.countDocuments({}, { hint: '_id_' }));
    return Math.max(0, all - (await reach(there.countDocuments({ gone: true }))));
  }

  async sum(collection: string, member: string, where: FindOptions['where'] = {}): Promise<number> {
    const spec = await this.#collections.spec(collection, [...Object.keys(where), member]);
    const sum = { $sum: `$${keyOf(indexedMember(spec, member))}` };
    const stages = [{ $match: filterOf(spec, { where }) }, { $group: { _id: null, sum } }];
    const [found] = await reach(this.#collections.named(collection).aggregate<{ sum: number }>(stages).toArray());
    return Number(found?.sum ?? 0);
  }

  async sumsBy(collection: string, by: string, member: string, where: FindOptions['where'] = {}): Promise<Sums[]> {
    const spec = await this.#collections.spec(collection, [...Object.keys(where), by, member]);
    const [key, summed] = [`$${keyOf(indexedMember(spec, by))}`, `$${keyOf(indexedMember(spec, member))}`];
    const sumsOf = async ($sum: string | number): Promise<ReadonlyMap<string, number>> => {
      const stages = [{ $match: filterOf(spec, { where }) }, { $group: { _id: key, sum: { $sum } } }];
      const found = await reach(this.#collections.named(collection).aggregate<{ _id: string; sum: number }>(stages).toArray());
      return new Map(found.map(({ _id: value, sum }) => [value, Number(sum)]));
    };
    // Two questions: FerretDB 1.24 answers 0 for a second sum in the same group.
    const [counts, sums] = await Promise.all([sumsOf(1), sumsOf(summed)]);
    return [...counts].map(([value, count]) => ({ value, count, sum: sums.get(value) ?? 0 }));
  }

  async writeBatch(
    collection: string,
    writes: readonly DocumentWrite[],
    checkpoint: Checkpoint,
    options: WriteOptions = {},
  ): Promise<boolean> {
    if (writes.length > 0) {
      const [, { fullText }] = await Promise.all([this.#checkpoints.refuseStale(checkpoint), this.#collections.spec(collection)]);
      await this.#replaceOlder(collection, newestOfEach(writes), fullText);
      if (options.checkpointLater) return false;
    }
    const written = await this.#checkpoints.write(checkpoint);
    // A collection and its checkpoint are dropped together. An insert makes the collection again: its writer has lost the lease and did not know yet.
    if (written === 'replaced' || (await this.#collections.isStillThere(collection))) return true;
    await this.#checkpoints.delete(checkpoint.name);
    throw new StaleEpoch(checkpoint.name);
  }

  readCheckpoint(name: string): Promise<Checkpoint | null> {
    return this.#checkpoints.read(name);
  }

  async deleteCheckpoint(name: string): Promise<void> {
    await this.#checkpoints.delete(name);
  }

  async create(collection: string, id: string, body: JsonObject): Promise<boolean> {
    await this.#collections.spec(collection);
    const maker = pooledRandomBytes(MAKER_BYTES).toString('base64url');
    return this.#single.create(collection, { _id: id, ...recordOf('', body), maker });
  }

  async replace(collection: string, id: string, body: JsonObject, where: Expected = {}): Promise<boolean> {
    await this.#collections.spec(collection);
    const { matchedCount } = await reach(this.#collections.named(collection).replaceOne(createdAs(id, where), recordOf('', body)));
    return matchedCount > 0;
  }

  async replaceMany(collection: string, documents: readonly ReplacedDocument[]): Promise<ReadonlySet<string>> {
    const ids = documents.map(({ id }) => id);
    if (ids.length === 0) return new Set();
    await this.#collections.spec(collection);
    const there = this.#collections.named(collection);
    const records = documents.map(({ id, body, where }) => ({ filter: createdAs(id, where), replacement: recordOf('', body) }));
    const operations = records.map((replaceOne) => ({ replaceOne }));
    const { matchedCount } = await reach(there.bulkWrite(operations, { ordered: false }));
    if (matchedCount === ids.length) return new Set(ids);
    const found = await reach(there.find({ _id: { $in: ids } }, { projection: { body: 1 } }).toArray());
    const bodies = new Map(found.map(({ _id, body }) => [_id, body]));
    return new Set(ids.filter((id, n) => bodies.get(id) === records[n]?.replacement.body));
  }

  async remove(collection: string, id: string, where: Expected = {}): Promise<void> {
    await this.#collections.spec(collection);
    await this.#single.remove(collection, createdAs(id, where));
  }

  /** A client cannot make MongoDB rewrite its files or shorten its oplog: `docs/audit.md` says what an operator can do. */
  async purge(): Promise<void> {}

  async close(): Promise<void> {}

  /** After a refusal, what is still older is sent again: some servers end a bulk there, and another writer may have come between. */
  async #replaceOlder(name: string, writes: readonly DocumentWrite[], fullText: FullText | undefined): Promise<void> {
    const there = this.#collections.named(name);
    let left = writes;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const operations = left.map((write) => guarded(write, fullText));
      if (left.length === 0 || (await unlessTaken(there.bulkWrite(operations, { ordered: false })))) return;
      const found = await reach(there.find({ _id: { $in: left.map(({ id }) => id) } }, { projection: { position: 1 } }).toArray());
      const positions = new Map(found.map(({ _id, position }) => [_id, position]));
      left = left.filter(({ id, position }) => (positions.get(id) ?? '') < position);
    }
    throw new StoreUnavailable(`collection ${name}: other writers were faster ${MOST_ROUNDS} times`);
  }
}
