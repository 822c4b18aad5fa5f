import { changedEvent, type EventOf, event, guardOf, id, object, objectOf, ordinal, record, sha256, text } from '../eventForms.ts';
import type { LogSeal } from './state.ts';

/** The seals of the log. Event stream `seals`. */
export const SEALS_EVENTS = {
  // Version 2 has `trail`, which names the place where a log differs. A seal without one proves the same range.
  LogSealed: changedEvent(
    2,
    objectOf<LogSeal>({
      firstEventId: id,
      lastEventId: id,
      count: ordinal,
      digest: sha256,
      heads: record(text),
      trail: text,
      keyId: id,
      signature: id,
    }),
    { 1: (data) => ({ ...data, trail: '' }) },
  ),
};

/** Actions of auditors and administrators on the log. Event stream `audit-<subject>` of the acting person. */
export const AUDIT_EVENTS = {
  /** `parameters` as given: names of event streams, ids and times, but never what was read. */
  LogRead: event(object({ operation: id, parameters: record(text) })),
  /** Written first, so that read models and deliveries see it even if the erasure itself fails. */
  SubjectErased: event(object({ subject: id })),
};

export type SealsEvent = EventOf<typeof SEALS_EVENTS>;
export type AuditEvent = EventOf<typeof AUDIT_EVENTS>;
export const isSealsEvent = guardOf(SEALS_EVENTS);
export const isAuditEvent = guardOf(AUDIT_EVENTS);

export const auditEventStream = (subject: string): string => `audit-${subject}`;
