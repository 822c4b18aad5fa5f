import type { FindOptions, SearchOptions, Sums } from '../stores/documents.ts';
import type { Position } from '../stores/eventStore.ts';
import type { Projection } from './projection.ts';

/** A read model is named by its projection, which also gives the type of its documents. */
export type ReadModel<Doc extends object> = Pick<Projection<Doc>, 'name' | 'evolve'>;

/** What `http` uses of the projections: reading read models and waiting for them to catch up. */
export interface ReadModels {
  get<Doc extends object>(model: ReadModel<Doc>, id: string): Promise<Doc | null>;
  /**
   * The current state of one document: the stored document with the newer events of its event stream folded onto it. For documents that carry the
   * `revision` of their event stream (decimal text). With several event streams, each continues where the one before has ended: a document carries the
   * revision of one of them at a time, and -1 before the first event of the next one.
   */
  getFresh<Doc extends { revision: string }>(model: ReadModel<Doc>, id: string, ...eventStreams: readonly string[]): Promise<Doc | null>;
  find<Doc extends object>(model: ReadModel<Doc>, options: FindOptions): Promise<Doc[]>;
  /** Ids of the documents that `find` would return, in its order. Cheap, however large the documents are. */
  findIds(model: { readonly name: string }, options: FindOptions): Promise<string[]>;
  /** Ids of the documents that match, the most relevant first: see `Documents`. */
  search(model: { readonly name: string }, options: SearchOptions): Promise<string[]>;
  /** The documents that exist, in the order of their ids. */
  getMany<Doc extends object>(model: ReadModel<Doc>, ids: readonly string[]): Promise<Doc[]>;
  count(model: { readonly name: string }, where?: FindOptions['where']): Promise<number>;
  /** Sum of an indexed member, a number, over the documents that match. */
  sum(model: { readonly name: string }, member: string, where: FindOptions['where']): Promise<number>;
  /** The same for each value of another indexed member, a text. */
  sumsBy(model: { readonly name: string }, by: string, member: string, where: FindOptions['where']): Promise<Sums[]>;
  /**
   * Waits until the named projections have handled `position`. Returns `false` after `milliseconds` (default 2,000), and at once for a stopped
   * projection. Sees progress made on other nodes too.
   */
  waitFor(projections: readonly string[], position: Position, milliseconds?: number): Promise<boolean>;
  /** `false` when one of them is known not to follow the log: stopped, being built, or cut off from its store. Needs no look at a store. */
  keepUp(projections: readonly string[]): boolean;
  /** Whether untrusted text has the form of a log position. */
  isPosition(text: string): Promise<boolean>;
}
