import type { AuditEvent, SealsEvent } from './events.ts';

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
