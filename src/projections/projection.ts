import type { JsonObject } from '../json.ts';
import type { FullText } from '../stores/documents.ts';
import type { RecordedEvent } from '../stores/log/eventLog.ts';

/**
 * A pure fold of events into documents, which are its read model. `Doc` is one document; indexes name its top-level members. The engine owns checkpoints,
 * batches, rebuilds and failures; a projection only says how an event changes a document.
 */
export interface Projection<Doc extends object = JsonObject> {
  /** Also the base name of its collection. */
  readonly name: string;
  /**
   * Raise it for a new member that every document has, and whenever events that are already in the log give other documents: the engine then rebuilds.
   * A new event type alone does not need it.
   */
  readonly version: number;
  readonly indexes: readonly (readonly string[])[];
  /** For a read model that is searched by words. */
  readonly fullText?: FullText;
  /** Event types. `idsOf` and `evolve` get no others. */
  readonly handles: readonly string[];
  /** Event types before which none of the documents that they touch can exist: these are not looked for. */
  readonly beginnings?: readonly string[];
  /** The event stream that alone makes a document. While a former version is served (`--serve-stale`), lists fold their documents from it. */
  eventStreamOf?(id: string): string;
  /** The documents that the event touches. */
  idsOf(event: RecordedEvent): readonly string[];
  /** For documents with personal data of their owner. */
  readonly personal?: PersonalDocuments<Doc>;
  /** Returns the document after an event, without changing the given one; `null` deletes it. `document` is `null` before the first event. */
  evolve(document: Doc | null, event: RecordedEvent, id: string): Doc | null;
  /** Adds what the log does not have, such as texts of topics, before a document is stored. May be repeated. Returns the given document if nothing is missing. */
  complete?(document: Doc): Promise<Doc>;
}

/** What remains of documents once their owner has been erased. */
export interface PersonalDocuments<Doc extends object> {
  /** Member that names the owner. */
  readonly owner: string;
  /** Member of every document. It follows `owner` at the start of an index. */
  readonly orderedBy: string;
  /** What `evolve` makes of the same events when their personal members read as `null`. Returns the given document if nothing changes. */
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
