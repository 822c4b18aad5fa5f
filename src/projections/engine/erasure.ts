import type { JsonObject } from '../../json.ts';
import type { Checkpoint, Documents, DocumentWrite, StoredDocument } from '../../stores/documents.ts';
import type { RecordedEvent } from '../../stores/log/eventLog.ts';
import type { AnyProjection } from './fold.ts';

export const SUBJECT_ERASED = 'SubjectErased';

const PAGE = 500;

/** Whose erasure an event of the log is; `null` for all other events. */
const erasedBy = ({ type, data }: RecordedEvent): string | null =>
  type === SUBJECT_ERASED && 'subject' in data && typeof data.subject === 'string' ? data.subject : null;

/** The documents of a subject that hold something personal, each with what remains of it, page by page. */
async function* personalDocuments(
  documents: Documents,
  collection: string,
  { personal }: AnyProjection,
  subject: string,
): AsyncGenerator<{ document: StoredDocument; remains: object }[], void, undefined> {
  if (!personal) return;
  for (let skip = 0; ; skip += PAGE) {
    const page = await documents.find(collection, { where: { [personal.owner]: subject }, skip, limit: PAGE });
    yield page
      .map((document) => ({ document, remains: personal.redact(document.body) }))
      .filter(({ document, remains }) => remains !== document.body);
    if (page.length < PAGE) return;
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
 * Handles a `SubjectErased`: writes what remains of the subject's documents, at the event's position. `before` is the checkpoint of all that came
 * before it, which stands until all are written.
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
    // Documents are plain JSON: the projections build them from events, which are.
    const writes = page.map(
      ({ document, remains }): DocumentWrite => ({ id: document.id, position: event.position, body: remains as JsonObject }),
    );
    if (writes.length > 0) await documents.writeBatch(collection, writes, before);
  }
};
