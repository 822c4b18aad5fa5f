import type { JsonObject } from '../json.ts';
import type { Position } from './eventStore.ts';

export interface CollectionSpec {
  readonly name: string;
  /** Each index is a list of top-level member names; `find` may filter and order only by members that an index names. */
  readonly indexes: readonly (readonly string[])[];
}

export interface StoredDocument {
  readonly id: string;
  /** Of the last event folded into it; the empty string for documents made by `create`. */
  readonly position: Position | '';
  readonly body: JsonObject;
}

export interface DocumentWrite {
  readonly id: string;
  readonly position: Position;
  /** `null` deletes: a tombstone with the position stays, so that an older write cannot bring it back. */
  readonly body: JsonObject | null;
}

export interface Checkpoint {
  /** Whose progress it is, such as `projection/streams@1`. */
  readonly name: string;
  readonly position: Position | null;
  /** Of the lease under which it is written; a write with an older epoch than the stored one is refused (`StaleEpoch`). */
  readonly epoch: number;
}

export type Scalar = string | number | boolean | null;

/** Both ends included. Texts compare by their characters' code points. Missing members and null match no range. */
export type TextRange = { readonly from: string; readonly to?: string } | { readonly from?: string; readonly to: string };

export type Condition = Scalar | readonly Scalar[] | TextRange;

export interface FindOptions {
  /** A list means any of its values. */
  readonly where?: Readonly<Record<string, Condition>>;
  /** Default: by id. The id breaks ties in the direction of the last member, so that an index gives the order, from either end, without sorting. */
  readonly orderBy?: readonly { readonly member: string; readonly direction: 'asc' | 'desc' }[];
  readonly skip?: number;
  readonly limit: number;
}

export interface ReplacedDocument {
  readonly id: string;
  readonly body: JsonObject;
}

export interface WriteOptions {
  /** A store for which a checkpoint is a write of its own may leave it to a later batch: a restart then repeats this one. */
  readonly checkpointLater?: boolean;
}

/**
 * Documents by id: the read models, and small shared facts. Contract suite: `test/contract/documents.ts`. Works on stores without
 * transactions: every guarded write may be repeated and ends the same.
 */
export interface Documents {
  /** Declares a collection and makes its indexes. Idempotent. */
  ensureCollection(spec: CollectionSpec): Promise<void>;
  dropCollection(name: string): Promise<void>;
  /** Names of the collections that exist and start with `prefix`. */
  listCollections(prefix: string): Promise<string[]>;
  get(collection: string, id: string): Promise<StoredDocument | null>;
  /** Those that exist, in no order. */
  getMany(collection: string, ids: readonly string[]): Promise<StoredDocument[]>;
  find(collection: string, options: FindOptions): Promise<StoredDocument[]>;
  /** Ids of the documents that `find` would return, in its order, without reading the documents. */
  findIds(collection: string, options: FindOptions): Promise<string[]>;
  count(collection: string, where?: FindOptions['where']): Promise<number>;
  /**
   * Replaces each document whose stored `position` is older, then writes the checkpoint; resolves with whether it has. Rejects with `StaleEpoch` if a
   * newer epoch has written the checkpoint, or if the collection has been dropped meanwhile.
   */
  writeBatch(collection: string, writes: readonly DocumentWrite[], checkpoint: Checkpoint, options?: WriteOptions): Promise<boolean>;
  readCheckpoint(name: string): Promise<Checkpoint | null>;
  deleteCheckpoint(name: string): Promise<void>;
  /** Makes a document whose id is free; `false` when it is taken. This decides between nodes. Durable as its store is configured. */
  create(collection: string, id: string, body: JsonObject): Promise<boolean>;
  /** Replaces a document made by `create`; for facts that have one writer. `false` when it is not there. */
  replace(collection: string, id: string, body: JsonObject): Promise<boolean>;
  /** The same for several, in as few requests as the store can. Resolves with the ids that are there. */
  replaceMany(collection: string, documents: readonly ReplacedDocument[]): Promise<ReadonlySet<string>>;
  /**
   * Removes a document made by `create` for good; `false` when it was not there. With `where` only while these members of its body are these texts, so
   * that a document that another has removed and made again stays.
   */
  remove(collection: string, id: string, where?: Readonly<Record<string, string>>): Promise<boolean>;
  /** When it resolves, no file of the store holds what was deleted or replaced before. A store that cannot promise it (MongoDB) does nothing. */
  purge(): Promise<void>;
  close(): Promise<void>;
}

/** A checkpoint was written under a lease that another has taken over since. */
export class StaleEpoch extends Error {
  constructor(readonly checkpoint: string) {
    super(`${checkpoint}: another node has taken over`);
    this.name = 'StaleEpoch';
  }
}
