import type { Collection, CreateIndexesOptions, IndexDescription } from 'mongodb';
import { collectionName, declarationOf, specOf } from '../documentQuery.ts';
import type { CollectionSpec } from '../documents.ts';
import { StoreUnavailable } from '../eventStore.ts';
import type { Mongo } from './connection.ts';
import { type DocumentRecord, indexesOf, isOwnIndex } from './documentForm.ts';
import { isIndexConflict, isMissingCollection, isUnknownOption, reach, translated, unlessTaken } from './failures.ts';
import { patiently } from './patience.ts';

interface SpecRecord {
  readonly _id: string;
  /** As declared: `declarationOf`. */
  readonly indexes: string;
  /** Form of its documents and indexes: absent for those of earlier versions, `0` until its indexes exist. */
  readonly form?: number;
}

/** Since form 2, tombstones are marked as `gone`. Form 3 has no index with a descending member. */
const FORM = 3;

/**
 * An index build takes as long as it needs, and a server aborts it when its connection is cut. The driver applies the time-out to the connection;
 * its monitor detects a silent server.
 */
const PATIENT: CreateIndexesOptions & { readonly socketTimeoutMS: number } = { socketTimeoutMS: 3_600_000 };

/** `<read model>@<version>`, perhaps with a generation. */
const isBuild = (name: string): boolean => /^[^@]+@\d/.test(name);

/** The collections `<prefix>.doc.<name>`, each declared by a record in `<prefix>.collections`. */
export class Collections {
  readonly #mongo: Mongo;
  readonly #prefix: string;
  readonly #records: Collection<SpecRecord>;
  readonly #specs = new Map<string, CollectionSpec>();

  constructor(mongo: Mongo, prefix: string) {
    this.#mongo = mongo;
    this.#prefix = prefix;
    this.#records = mongo.database.collection(`${prefix}.collections`);
  }

  named(name: string): Collection<DocumentRecord> {
    return this.#mongo.database.collection(`${this.#prefix}.doc.${collectionName(name)}`);
  }

  /**
   * The declaration by this or another process. Reads it again if it has no index on one of the `members`, because another process may have added one.
   * Rejects if the collection is not declared.
   */
  async spec(name: string, members: readonly string[] = []): Promise<CollectionSpec> {
    const known = this.#specs.get(name);
    if (known && members.every((member) => known.indexes.some((index) => index.includes(member)))) return known;
    const record = await reach(this.#records.findOne({ _id: name }));
    if (!record) throw new Error(`collection ${JSON.stringify(name)} has not been declared`);
    const spec = specOf(name, record.indexes);
    if (record.form !== 0) this.#specs.set(name, spec);
    return spec;
  }

  /** Resolves with `false` if the collection has been dropped; then it also drops what a late write has created. */
  async isStillThere(name: string): Promise<boolean> {
    if (await reach(this.#records.findOne({ _id: name }, { projection: { _id: 1 } }))) return true;
    this.#specs.delete(name);
    await this.#dropNow(name);
    return false;
  }

  async declare(spec: CollectionSpec): Promise<void> {
    const indexes = declarationOf(spec);
    const collection = this.named(spec.name);
    const wanted = indexesOf(spec);
    const stored = await reach(this.#records.findOne({ _id: spec.name }));
    if (stored?.indexes !== indexes || stored.form !== FORM) {
      // Written first, so that no collection exists without its record.
      if (!stored) await unlessTaken(this.#records.insertOne({ _id: spec.name, indexes: '[]', form: 0 }));
      if (stored && stored.form === undefined) await this.#markTombstones(collection);
      await this.#makeIndexes(collection, wanted, !stored || stored.indexes === '[]');
      if (stored) await this.#dropOtherIndexes(collection, new Set(wanted.map(({ name }) => name)));
      // Written last, so that an interrupted declaration is repeated.
      const { matchedCount } = await reach(this.#records.replaceOne({ _id: spec.name }, { indexes, form: FORM }));
      if (matchedCount === 0) {
        await this.isStillThere(spec.name);
        throw new StoreUnavailable(`collection ${spec.name} was dropped while it was being declared`);
      }
    }
    this.#specs.set(spec.name, spec);
  }

  /** Removes the record first: a late writer sees that it is missing, and drops what its write has created. */
  async drop(name: string): Promise<void> {
    collectionName(name);
    this.#specs.delete(name);
    await reach(this.#records.deleteOne({ _id: name }));
    await this.#dropNow(name);
  }

  async list(): Promise<string[]> {
    return (await reach(this.#records.find().toArray())).map(({ _id }) => _id);
  }

  /**
   * Drops what late writes of killed processes have left: builds of read models without a record, which can be rebuilt. Nothing else is dropped,
   * least of all keys whose record an unfinished restore has not restored yet.
   */
  async sweep(): Promise<void> {
    const prefix = `${this.#prefix}.doc.`;
    const present = await reach(this.#mongo.database.listCollections({}, { nameOnly: true }).toArray());
    const names = present.flatMap(({ name }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : [])).filter(isBuild);
    if (names.length === 0) return;
    const listed = new Set(await this.list());
    // Each is checked again: it may have been declared meanwhile.
    for (const name of names) if (!listed.has(name)) await this.isStillThere(name);
  }

  /** Builds all in one command, which reads the collection once. FerretDB 1.24, a lone server, hangs on a list with two of them. */
  async #makeIndexes(collection: Collection<DocumentRecord>, wanted: IndexDescription[], fresh: boolean): Promise<void> {
    if (fresh && this.#mongo.hasMembers && (await this.#makeTogether(collection, wanted))) return;
    await Promise.all(wanted.map((index) => this.#makeIndex(collection, index)));
  }

  /** Resolves with `false` if one of them cannot be created. */
  async #makeTogether(collection: Collection<DocumentRecord>, wanted: IndexDescription[]): Promise<boolean> {
    try {
      await this.#patiently(() => this.#build(collection, wanted));
      return true;
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      return false;
    }
  }

  /** An operator's index with the same keys serves as well; one with the same name and other keys stays, and ours is missing. */
  async #makeIndex(collection: Collection<DocumentRecord>, index: IndexDescription): Promise<void> {
    const make = async (): Promise<void> => {
      const conflict = await this.#build(collection, [index]).then(
        () => null,
        (error: unknown) => isIndexConflict(error) ?? Promise.reject(translated(error)),
      );
      if (conflict === 'name')
        this.#mongo.logger.warn(
          { collection: collection.collectionName, index: index.name },
          'an index with this name and other keys is left alone',
        );
    };
    await patiently(this.#mongo.clock, make);
  }

  /**
   * The server's default waits for every voting member, even one that is down. A server without the option builds without it. The option is sent each time:
   * the next primary may know it.
   */
  async #build(collection: Collection<DocumentRecord>, wanted: IndexDescription[]): Promise<void> {
    try {
      await collection.createIndexes(wanted, this.#mongo.hasMembers ? { ...PATIENT, commitQuorum: 'majority' } : PATIENT);
    } catch (error) {
      if (!this.#mongo.hasMembers || !isUnknownOption(error)) throw error;
      await collection.createIndexes(wanted, PATIENT);
    }
  }

  async #dropOtherIndexes(collection: Collection<DocumentRecord>, wanted: ReadonlySet<string | undefined>): Promise<void> {
    const present = await reach(collection.indexes().catch((error: unknown) => (isMissingCollection(error) ? [] : Promise.reject(error))));
    for (const { name } of present)
      if (name !== undefined && isOwnIndex(name) && !wanted.has(name)) await this.#patiently(() => collection.dropIndex(name));
  }

  #dropNow(name: string): Promise<unknown> {
    const collection = this.named(name);
    return this.#patiently(() => collection.drop().catch((error: unknown) => (isMissingCollection(error) ? false : Promise.reject(error))));
  }

  async #markTombstones(collection: Collection<DocumentRecord>): Promise<void> {
    await this.#patiently(() => collection.updateMany({ body: null }, { $set: { gone: true } }));
  }

  /** The driver does not repeat these commands after a change of the primary. Each may be repeated. */
  #patiently(attempt: () => Promise<unknown>): Promise<unknown> {
    return patiently(this.#mongo.clock, () => reach(attempt()));
  }
}
