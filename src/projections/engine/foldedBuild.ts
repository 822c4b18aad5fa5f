import type { JsonObject } from '../../json.ts';
import type { Checkpoint, Documents, DocumentWrite } from '../../stores/documents.ts';
import type { RecordedEvent } from '../../stores/log/eventLog.ts';
import { type Build, specOf } from './builds.ts';
import { redactDocuments, SUBJECT_ERASED } from './erasure.ts';
import { type AnyProjection, begunIds, type Folded, foldEvents, touchedIds } from './fold.ts';

/** One upload with twenty webhook endpoints makes a hundred deliveries, each with eight indexes. More at once keep the writes of others waiting. */
const DOCUMENTS_AT_ONCE = 100;

/** The same of documents that are completed: each may have megabytes. */
const LONG_DOCUMENTS_AT_ONCE = 8;

const NOTHING: Folded = { writes: [], poison: null };

/** A build that this node keeps up to date. */
export class FoldedBuild {
  readonly projection: AnyProjection;
  /** As stored. */
  record: Build;
  /** Files may have words of deleted or replaced documents, until they are purged. Also after a start: the process before may not have done it. */
  keepsFormerWords: boolean;
  readonly #documents: Documents;
  readonly #handles: ReadonlySet<string>;

  constructor(documents: Documents, projection: AnyProjection, record: Build) {
    this.#documents = documents;
    this.projection = projection;
    this.record = record;
    this.keepsFormerWords = projection.fullText !== undefined;
    this.#handles = new Set(projection.handles);
  }

  /** Folds the events onto the stored documents, without writing. */
  async fold(events: readonly RecordedEvent[]): Promise<Folded> {
    const mine = events.filter(({ type }) => this.#handles.has(type));
    if (mine.length === 0) return NOTHING;
    const begun = begunIds(this.projection, mine);
    const looked = touchedIds(this.projection, mine).filter((id) => !begun.has(id));
    const stored = looked.length === 0 ? [] : await this.#documents.getMany(this.record.collection, looked);
    if (this.projection.fullText && stored.length > 0) this.keepsFormerWords = true;
    return foldEvents(this.projection, mine, stored, new Set(this.record.skipped));
  }

  /** `before` is the checkpoint of earlier events, which stands: the writer stores the next one when everything is written. */
  async write(writes: readonly DocumentWrite[], before: Checkpoint): Promise<void> {
    const atOnce = this.projection.complete ? LONG_DOCUMENTS_AT_ONCE : DOCUMENTS_AT_ONCE;
    for (let from = 0; from < writes.length; from += atOnce) {
      const some: DocumentWrite[] = [];
      for (const write of writes.slice(from, from + atOnce)) some.push(await this.#completed(write));
      await this.#documents.writeBatch(this.record.collection, some, before, { checkpointLater: true });
    }
  }

  async #completed(write: DocumentWrite): Promise<DocumentWrite> {
    const completed = write.body && (await this.projection.complete?.(write.body));
    // Safe cast: documents are plain JSON.
    return completed ? { ...write, body: completed as JsonObject } : write;
  }

  /** Handles a `SubjectErased` event. `before` as in `write`. */
  async erase(event: RecordedEvent, before: Checkpoint): Promise<void> {
    if (!this.projection.personal) return;
    // A build that is not read yet may have no index for it.
    await this.#documents.ensureCollection(specOf(this.projection, this.record.collection));
    await redactDocuments(this.#documents, this.record.collection, this.projection, event, before);
  }
}

/** An erasure finds documents by their owner, so it is a part of its own, handled when everything before it is written. */
export const partsAtErasures = (events: readonly RecordedEvent[]): (readonly RecordedEvent[])[] => {
  const at = events.findIndex(({ type }) => type === SUBJECT_ERASED);
  if (at < 0) return events.length === 0 ? [] : [events];
  const before = at === 0 ? [] : [events.slice(0, at)];
  return [...before, events.slice(at, at + 1), ...partsAtErasures(events.slice(at + 1))];
};
