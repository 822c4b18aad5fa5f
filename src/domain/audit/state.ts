import type { AuditEvent, SealsEvent } from './events.ts';

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

/** What a person has done with the log, in sum. */
export interface AuditTrailState {
  reads: number;
  lastRead: { operation: string; parameters: Record<string, string>; time: string } | null;
  erased: { subject: string; time: string }[];
}

export const auditTrail = {
  initialState: (): AuditTrailState => ({ reads: 0, lastRead: null, erased: [] }),
  evolve: (state: AuditTrailState, { type, data }: AuditEvent, time: string): AuditTrailState =>
    type === 'LogRead'
      ? { ...state, reads: state.reads + 1, lastRead: { ...data, time } }
      : { ...state, erased: [...state.erased, { ...data, time }] },
};

/** How far the log is sealed. */
export interface SealsState {
  seals: number;
  events: number;
  lastEventId: string | null;
  digest: string | null;
}

export const seals = {
  initialState: (): SealsState => ({ seals: 0, events: 0, lastEventId: null, digest: null }),
  evolve: ({ seals: before, events }: SealsState, { data: { count, lastEventId, digest } }: SealsEvent): SealsState => ({
    seals: before + 1,
    events: events + count,
    lastEventId,
    digest,
  }),
};
