/** What is sealed: a part of the log, in its order, without `seals` and `delivery-*`. One holder writes them, in `seals`. */
export interface LogSeal {
  firstEventId: string;
  lastEventId: string;
  count: number;
  /** Hex SHA-256 over a line `<id> <hash>\n` an event, in the order of the log. */
  digest: string;
  /** The event streams that the sealed events belong to, and the revision (decimal text) that each had come to. */
  heads: Record<string, string>;
  /** Base64 of the first two bytes of each event's hash: tells at which place a log differs from what was sealed. */
  trail: string;
  keyId: string;
  /** Base64url, ECDSA P-256 with SHA-256 (ES256, r and s), over the canonical JSON (RFC 8785) of all other members. */
  signature: string;
}

export type SealsEvent = { type: 'LogSealed'; data: LogSeal };

export const SEALS = 'seals';

/** What was destroyed when a subject was erased. */
export interface ErasureReport {
  subject: string;
  streamsCanceled: number;
  deliveriesDropped: number;
  credentialsRevoked: number;
  keysDestroyed: number;
  documentsDestroyed: number;
  topicsDestroyed: number;
}

/** What auditors and admins did with the log. Event stream `audit-<subject>` of whoever did it. */
export type AuditEvent =
  /** `parameters` as they were given: names of event streams, ids, times; never what was read. */
  | { type: 'LogRead'; data: { operation: string; parameters: Record<string, string> } }
  /** Written first, so that read models and deliveries hear of it, whatever happens to the erasure under way. */
  | { type: 'SubjectErased'; data: { subject: string } };

export const auditEventStream = (subject: string): string => `audit-${subject}`;

/** Nothing is decided on what was read before. */
export const auditDecider = { initialState: (): null => null, evolve: (): null => null };
