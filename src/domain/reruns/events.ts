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

/** Selects a user's ended streams. A member that is `null` does not restrict the selection. `since` and `until` are creation times in ISO 8601. */
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
  /** Followed by `RerunsQueued` in the same append. */
  BulkRerunRequested: event(
    object({
      requestId: id,
      filter,
      /** `null`: the whole chain. */
      from: nullable(text),
      patches: personal(anyObject),
      reason: erasable(nullable(text)),
      /** Number of streams that matched the filter, and of those queued. */
      matched: count,
      queued: count,
      /** The credential and the request of the bulk rerun, which all its reruns carry. */
      requestedBy: id,
      correlationId: id,
      /** `null` without an `Idempotency-Key`. `fingerprint` is the hex SHA-256 of the request. */
      idempotency: nullable(object({ keyId: id, fingerprint: sha256 })),
    }),
  ),
  RerunsQueued: event(object({ requestId: id, streamIds: list(id) })),
  /** The next `handled` streams of the queue, in order, run again, except refused ones. */
  QueuedRerunsHandled: event(
    object({
      requestId: id,
      handled: ordinal,
      refused: list(object({ streamId: id, statusCode: count, message: erasable(text) })),
    }),
  ),
  /** Waiting streams are not started. */
  BulkRerunCanceled: event(object({ requestId: id })),
};

export type RerunsEvent = EventOf<typeof RERUNS_EVENTS>;
export const isRerunsEvent = guardOf(RERUNS_EVENTS);

export const rerunsEventStream = (subject: string): string => `reruns-${subject}`;
