import * as s from '../../schema.ts';
import { changedEvent, type EventOf, event, guardOf } from '../eventForms.ts';

/** A sealed range of the log, in log order, without `seals` and `delivery-*`. Written by one holder, in `seals`. */
const seal = s.object({
  firstEventId: s.id,
  lastEventId: s.id,
  count: s.ordinal,
  /** Hex SHA-256 over one line `<id> <hash>\n` per event, in log order. */
  digest: s.sha256,
  /** The event streams of the sealed events with the revision (decimal text) that each had reached. */
  heads: s.map(s.text),
  /** Base64 of the first two bytes of each event's hash. Shows where a log differs from what was sealed. */
  trail: s.text,
  keyId: s.id,
  /** Base64url, ECDSA P-256 with SHA-256 (ES256, r and s), over the canonical JSON (RFC 8785) of all other members. */
  signature: s.id,
});

/** The seals of the log. Event stream `seals`. */
export const SEALS_EVENTS = {
  // Version 2 has `trail`, which names the place where a log differs. A seal without one proves the same range.
  LogSealed: changedEvent(2, seal, { 1: (data) => ({ ...data, trail: '' }) }),
};

/** Actions of auditors and administrators on the log. Event stream `audit-<subject>` of the acting person. */
export const AUDIT_EVENTS = {
  /** `parameters` as given: names of event streams, ids and times, but never what was read. */
  LogRead: event(s.object({ operation: s.id, parameters: s.map(s.text) })),
  /** Written first, so that read models and deliveries see it even if the erasure itself fails. */
  SubjectErased: event(s.object({ subject: s.id })),
};

export type SealsEvent = EventOf<typeof SEALS_EVENTS>;
export type AuditEvent = EventOf<typeof AUDIT_EVENTS>;
export const isSealsEvent = guardOf(SEALS_EVENTS);
export const isAuditEvent = guardOf(AUDIT_EVENTS);

export const auditEventStream = (subject: string): string => `audit-${subject}`;
