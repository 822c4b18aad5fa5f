import * as s from '../../schema.ts';
import { type EventOf, event, guardOf, personal, personalOfOldEvents } from '../eventForms.ts';

/** Selects a user's ended streams. A member that is `null` does not restrict the selection. `since` and `until` are creation times in ISO 8601. */
const filter = s.object({
  state: s.nullable(s.oneOf('COMPLETED', 'FAILED')),
  since: s.nullable(s.text),
  until: s.nullable(s.text),
  streamConfigurationTemplateId: s.nullable(s.text),
  errorName: s.nullable(s.text),
  groupId: s.nullable(s.text),
});

/** The bulk reruns of one user. Event stream `reruns-<subject>`. */
export const RERUNS_EVENTS = {
  /** Followed by `RerunsQueued` in the same append. */
  BulkRerunRequested: event(
    s.object({
      requestId: s.id,
      filter,
      /** `null`: the whole chain. */
      from: s.nullable(s.text),
      patches: personalOfOldEvents(s.anyObject),
      reason: personal(s.nullable(s.text)),
      /** Number of streams that matched the filter, and of those queued. */
      matched: s.count,
      queued: s.count,
      /** The credential and the request of the bulk rerun, which all its reruns carry. */
      requestedBy: s.id,
      correlationId: s.id,
      /** `null` without an `Idempotency-Key`. `fingerprint` is the hex SHA-256 of the request. */
      idempotency: s.nullable(s.object({ keyId: s.id, fingerprint: s.sha256 })),
    }),
  ),
  RerunsQueued: event(s.object({ requestId: s.id, streamIds: s.list(s.id) })),
  /** The next `handled` streams of the queue, in order, run again, except refused ones. */
  QueuedRerunsHandled: event(
    s.object({
      requestId: s.id,
      handled: s.ordinal,
      refused: s.list(s.object({ streamId: s.id, statusCode: s.count, message: personal(s.text) })),
    }),
  ),
  /** Waiting streams are not started. */
  BulkRerunCanceled: event(s.object({ requestId: s.id })),
};

export type RerunsEvent = EventOf<typeof RERUNS_EVENTS>;
export const isRerunsEvent = guardOf(RERUNS_EVENTS);

export const rerunsEventStream = (subject: string): string => `reruns-${subject}`;
