import type { JsonObject } from '../../json.ts';
import type { Checkpoint, Documents, DocumentWrite, StoredDocument } from '../../stores/documents.ts';
import { inBatches } from '../../stores/inBatches.ts';
import type { RecordedEvent } from '../../stores/log/eventLog.ts';
import type { AnyProjection } from './fold.ts';

export const SUBJECT_ERASED = 'SubjectErased';

const MOST_TOGETHER = 100;

/** Subject of a `SubjectErased` event; `null` for all other events. */
const erasedBy = ({ type, data }: RecordedEvent): string | null =>
  type === SUBJECT_ERASED && 'subject' in data && typeof data.subject === 'string' ? data.subject : null;

/** Pages of the subject's documents with personal data, each with what remains of it after the erasure. */
async function* personalDocuments(
  documents: Documents,
  collection: string,
  { personal }: AnyProjection,
  subject: string,
): AsyncGenerator<{ document: StoredDocument; remains: object }[], void, undefined> {
  if (!personal) return;
  const { owner, orderedBy, redact } = personal;
  const orderBy = [{ member: orderedBy, direction: 'asc' }] as const;
  const ids = await documents.findIds(collection, { where: { [owner]: subject }, orderBy, limit: Number.MAX_SAFE_INTEGER });
  for await (const page of inBatches(ids, MOST_TOGETHER, (some) => documents.getMany(collection, some))) {
    const found = page.map((document) => ({ document, remains: redact(document.body) }));
    yield found.filter(({ document, remains }) => remains !== document.body);
  }
}

export const countPersonal = async (
  documents: Documents,
  collection: string,
  projection: AnyProjection,
  subject: string,
): Promise<number> => {
  let count = 0;
  for await (const page of personalDocuments(documents, collection, projection, subject)) count += page.length;
  return count;
};

/**
 * Handles `SubjectErased`: replaces the subject's documents by what remains of them, at the event's position. `before` is the checkpoint of the
 * preceding events; it stands until all documents are written.
 */
export const redactDocuments = async (
  documents: Documents,
  collection: string,
  projection: AnyProjection,
  event: RecordedEvent,
  before: Checkpoint,
): Promise<void> => {
  const subject = erasedBy(event);
  if (subject === null) return;
  for await (const page of personalDocuments(documents, collection, projection, subject)) {
    // Safe cast: documents are plain JSON, because projections build them from events.
    const writes = page.map(
      ({ document, remains }): DocumentWrite => ({ id: document.id, position: event.position, body: remains as JsonObject }),
    );
    if (writes.length > 0) await documents.writeBatch(collection, writes, before);
  }
};
