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

const isOf =
  <E extends { type: string }>(...types: E['type'][]) =>
  <T extends { type: string }>(event: T): event is T & E =>
    types.includes(event.type);

/** Whether an event of the log is one of these. Its data were checked against the type's schema when it was appended. */
export const isAuditEvent = isOf<AuditEvent>('LogRead', 'SubjectErased');
export const isSealsEvent = isOf<SealsEvent>('LogSealed');

/** What somebody has done with the log, in sum. */
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
