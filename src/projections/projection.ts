import type { JsonObject } from '../json.ts';
import type { RecordedEvent } from '../stores/log/eventLog.ts';

/**
 * A read model: a pure fold of events into documents. `Doc` is what one document holds; an index may name its top-level members.
 * The engine owns checkpoints, batches, rebuilds and failures; a projection only says what an event does to a document.
 */
export interface Projection<Doc extends object = JsonObject> {
  /** Also the base name of its collection. */
  readonly name: string;
  /** Raised whenever the documents would come out otherwise: the engine then rebuilds. */
  readonly version: number;
  readonly indexes: readonly (readonly string[])[];
  /** Event types; others never reach `idsOf` and `evolve`. */
  readonly handles: readonly string[];
  /** Event types before which none of the documents that they touch can exist: these are not looked for. */
  readonly beginnings?: readonly string[];
  /** The documents that the event touches. */
  idsOf(event: RecordedEvent): readonly string[];
  /** For documents that hold personal members of their owner; without it there are none. */
  readonly personal?: PersonalDocuments<Doc>;
  /** `null` before the first event, or to delete. Returns a new document, never changes the given one. */
  evolve(document: Doc | null, event: RecordedEvent, id: string): Doc | null;
}

/** What remains of documents when their owner is erased. */
export interface PersonalDocuments<Doc extends object> {
  /** The member, with an index, that names the owner. */
  readonly owner: string;
  /** What `evolve` makes of the same events once their personal members read as `null`; the given document when it holds none. */
  redact(document: Doc): Doc;
}

export type ProjectionState = 'catching-up' | 'live' | 'stopped' | 'rebuilding';

export interface ProjectionStatus {
  name: string;
  version: number;
  position: string | null;
  head: string | null;
  /** Counted up to 20, estimated beyond. */
  lagEvents: number;
  lagSeconds: number;
  /** Events a second, over the last ten seconds. */
  rate: number;
  state: ProjectionState;
  /** Why it stopped, with the event's id and position, and how to continue. */
  error: string | null;
}
