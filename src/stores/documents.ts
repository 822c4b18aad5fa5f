import type { JsonObject } from '../json.ts';
import type { Position } from './eventStore.ts';
import type { FullTextQuery } from './fullText/phrases.ts';

export interface CollectionSpec {
  readonly name: string;
  /** Each index is a list of top-level member names; `find` filters and orders only by indexed members. */
  readonly indexes: readonly (readonly string[])[];
  /** For `search`. A collection has it from its beginning; its documents are written by `writeBatch` only. */
  readonly fullText?: FullText;
}

/** Top-level members of the documents that `search` uses. */
export interface FullText {
  /** A list of objects. Their `text` is searched; a phrase is found within one text. */
  readonly passages: string;
  /** Every search names a value of it, an indexed text. */
  readonly owner: string;
  /** Text, indexed: of equally relevant documents, those with the highest value come first. */
  readonly newestBy: string;
}

export interface SearchOptions {
  readonly query: FullTextQuery;
  readonly where: Readonly<Record<string, Condition>>;
  readonly limit: number;
}

export interface StoredDocument {
  readonly id: string;
  /** Position of the last event folded into it; the empty string for documents made by `create`. */
  readonly position: Position | '';
  readonly body: JsonObject;
}

export interface DocumentWrite {
  readonly id: string;
  readonly position: Position;
  /** `null` deletes and leaves a tombstone with the position, so that an older write cannot restore the document. */
  readonly body: JsonObject | null;
}

export interface Checkpoint {
  /** Name of the consumer or build, such as `projection/streams@1`. */
  readonly name: string;
  readonly position: Position | null;
  /** Epoch of the lease under which it is written; a write with an older epoch than the stored one is refused (`StaleEpoch`). */
  readonly epoch: number;
}

/** Of the documents in which a member has this value. */
export interface Sums {
  readonly value: string;
  readonly count: number;
  readonly sum: number;
}

export type Scalar = string | number | boolean | null;

/** Both ends inclusive. Texts compare by their characters' code points. Missing and null members match no range. */
export type TextRange = { readonly from: string; readonly to?: string } | { readonly from?: string; readonly to: string };

/** For a member that is a list of texts: it contains all of these. At least one. */
export type AllOf = { readonly all: readonly string[] };

/** A list member is in a range if one of its texts is. */
export type Condition = Scalar | readonly Scalar[] | TextRange | AllOf;

export interface FindOptions {
  /** A list means any of its values. */
  readonly where?: Readonly<Record<string, Condition>>;
  /** Only documents with a later position; `''` for all. Has no index: each document that `where` finds is checked. */
  readonly changedAfter?: Position | '';
  /** Default: by id. The id breaks ties in the direction of the last member, so that an index gives the order in both directions without sorting. */
  readonly orderBy?: readonly { readonly member: string; readonly direction: 'asc' | 'desc' }[];
  readonly skip?: number;
  readonly limit: number;
}

/** Members of a stored body, with the values that they must have. */
export type Expected = Readonly<Record<string, string | number>>;

export interface ReplacedDocument {
  readonly id: string;
  readonly body: JsonObject;
  readonly where?: Expected;
}

export interface WriteOptions {
  /** If a checkpoint is a separate write, the store may leave it to a later batch: a restart then repeats this one. */
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
  /** Existing documents among the ids, in any order. */
  getMany(collection: string, ids: readonly string[]): Promise<StoredDocument[]>;
  find(collection: string, options: FindOptions): Promise<StoredDocument[]>;
  /** Ids of the documents that `find` would return, in its order, without reading the documents. */
  findIds(collection: string, options: FindOptions): Promise<string[]>;
  /**
   * Ids of the documents that match, the most relevant first: those with more occurrences in less text. A store may look at the newest 2,000 of them only.
   * For a collection with `fullText`.
   */
  search(collection: string, options: SearchOptions): Promise<string[]>;
  count(collection: string, where?: FindOptions['where']): Promise<number>;
  /** Sum of an indexed member, a number, over the documents that match. */
  sum(collection: string, member: string, where: FindOptions['where']): Promise<number>;
  /** The same for each value of another indexed member, a text. Reads an index entry of each document. */
  sumsBy(collection: string, by: string, member: string, where: FindOptions['where']): Promise<Sums[]>;
  /**
   * Replaces each document whose stored `position` is older, then writes the checkpoint; resolves with whether the checkpoint was written. Rejects
   * with `StaleEpoch` if a newer epoch has written the checkpoint, or if the collection has been dropped meanwhile.
   */
  writeBatch(collection: string, writes: readonly DocumentWrite[], checkpoint: Checkpoint, options?: WriteOptions): Promise<boolean>;
  readCheckpoint(name: string): Promise<Checkpoint | null>;
  deleteCheckpoint(name: string): Promise<void>;
  /** Creates a document, or returns `false` if its id is taken: of several nodes only one succeeds. Durable as the store is configured. */
  create(collection: string, id: string, body: JsonObject): Promise<boolean>;
  /**
   * Replaces a document made by `create`. `false` if it does not exist. With `where`, compares and replaces in one step: of several nodes that expect the
   * same, one succeeds if the new body differs in these members.
   */
  replace(collection: string, id: string, body: JsonObject, where?: Expected): Promise<boolean>;
  /** The same for several, in as few requests as possible. Resolves with the ids that were replaced. */
  replaceMany(collection: string, documents: readonly ReplacedDocument[]): Promise<ReadonlySet<string>>;
  /**
   * Removes a document made by `create`, if it exists. With `where`, removes it only while these members of its body have these values, so that a
   * document recreated by another node stays.
   */
  remove(collection: string, id: string, where?: Expected): Promise<void>;
  /** When it resolves, no file of the store contains deleted or replaced data. A store that cannot guarantee this (MongoDB) does nothing. */
  purge(): Promise<void>;
  close(): Promise<void>;
}

/** The checkpoint was written under a lease that another node has since taken over. */
export class StaleEpoch extends Error {
  constructor(readonly checkpoint: string) {
    super(`${checkpoint}: another node has taken over`);
    this.name = 'StaleEpoch';
  }
}
