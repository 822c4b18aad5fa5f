import type { FindOptions } from '../stores/documents.ts';
import type { Position } from '../stores/eventStore.ts';
import type { Projection } from './projection.ts';

/** A read model is named by its projection, which also gives the type of its documents. */
export type ReadModel<Doc extends object> = Pick<Projection<Doc>, 'name' | 'evolve'>;

/** Reading the read models, and waiting for them. What `http` knows of projections. */
export interface ReadModels {
  get<Doc extends object>(model: ReadModel<Doc>, id: string): Promise<Doc | null>;
  /**
   * One document as of now: what the read model holds, and on top of it what its event stream holds beyond. For documents that are folded
   * from a single event stream and carry its `revision` (decimal text) as a member.
   */
  getFresh<Doc extends { revision: string }>(model: ReadModel<Doc>, id: string, eventStream: string): Promise<Doc | null>;
  find<Doc extends object>(model: ReadModel<Doc>, options: FindOptions): Promise<Doc[]>;
  count(model: { readonly name: string }, where?: FindOptions['where']): Promise<number>;
  /**
   * Waits until the named projections have handled `position`: `true` when they have, `false` after `milliseconds` (default 2,000), at once
   * for a stopped one. On any node: progress written by another is seen too.
   */
  waitFor(projections: readonly string[], position: Position, milliseconds?: number): Promise<boolean>;
  /** Whether a text that came from outside can be a position of the log. */
  isPosition(text: string): Promise<boolean>;
}
