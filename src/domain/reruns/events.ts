import {
  anyObject,
  count,
  type EventOf,
  erasable,
  event,
  guardOf,
  id,
  list,
  nullable,
  object,
  oneOf,
  ordinal,
  personal,
  sha256,
  text,
} from '../eventForms.ts';

/** Which ended streams of a user are meant. `null`: any. Times are ISO 8601, of the creation. */
const filter = object({
  state: nullable(oneOf('COMPLETED', 'FAILED')),
  since: nullable(text),
  until: nullable(text),
  streamConfigurationTemplateId: nullable(text),
  errorName: nullable(text),
  groupId: nullable(text),
});

/** The bulk reruns of one user. Event stream `reruns-<subject>`. */
export const RERUNS_EVENTS = {
  /** `RerunsQueued` follow in the same append. */
  BulkRerunRequested: event(
    object({
      requestId: id,
      filter,
      /** `null`: the whole chain. */
      from: nullable(text),
      patches: personal(anyObject),
      reason: erasable(nullable(text)),
      /** Streams that the filter found, and those of them that were queued. */
      matched: count,
      queued: count,
      /** The credential that asked, and its request: every rerun of the bulk carries them. */
      requestedBy: id,
      correlationId: id,
      /** `null` without an `Idempotency-Key`. `fingerprint` is the hex SHA-256 of the request. */
      idempotency: nullable(object({ keyId: id, fingerprint: sha256 })),
    }),
  ),
  RerunsQueued: event(object({ requestId: id, streamIds: list(id) })),
  /** The next `handled` streams of the queue, in its order: they run again, except those refused. */
  QueuedRerunsHandled: event(
    object({
      requestId: id,
      handled: ordinal,
      refused: list(object({ streamId: id, statusCode: count, message: erasable(text) })),
    }),
  ),
  /** What still waits is not started. */
  BulkRerunCanceled: event(object({ requestId: id })),
};

export type RerunsEvent = EventOf<typeof RERUNS_EVENTS>;
export const isRerunsEvent = guardOf(RERUNS_EVENTS);

export const rerunsEventStream = (subject: string): string => `reruns-${subject}`;
