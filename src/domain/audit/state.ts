import type { AuditEvent, SealsEvent } from './events.ts';

/** A sealed range of the log, in log order, without `seals` and `delivery-*`. Written by one holder, in `seals`. */
export interface LogSeal {
  firstEventId: string;
  lastEventId: string;
  count: number;
  /** Hex SHA-256 over one line `<id> <hash>
  ` per event, in log order. */
  digest: string;
  /** The event streams of the sealed events with the revision (decimal text) that each had reached. */
  heads: Record<string, string>;
  /** Base64 of the first two bytes of each event's hash. Shows where a log differs from what was sealed. */
  trail: string;
  keyId: string;
  /** Base64url, ECDSA P-256 with SHA-256 (ES256, r and s), over the canonical JSON (RFC 8785) of all other members. */
  signature: string;
}

/** What an erasure of a subject destroyed. */
export interface ErasureReport {
  subject: string;
  streamsCanceled: number;
  deliveriesDropped: number;
  credentialsRevoked: number;
  keysDestroyed: number;
  documentsDestroyed: number;
  topicsDestroyed: number;
}

/** Summary of one person's actions on the log. */
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

/** Extent of the sealed part of the log. */
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
