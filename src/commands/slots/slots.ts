import { Problem } from '../../domain/problem.ts';
import type { StoredDocument } from '../../stores/documents.ts';

/** One of the running streams that a user's limit allows. */
export interface Slot {
  readonly subject: string;
  /** The attempt that holds it (`slotHolder`). Stored as `streamId`. */
  readonly holder: string;
}

/**
 * Limits how many streams a user runs at once. A slot is the document `<subject>/slot/<n>` of the collection `slots`; since it can be created only
 * once, it decides between nodes. All methods may reject with `StoreUnavailable`.
 */
export interface Slots {
  /** Limit of each user. */
  readonly limit: number;
  /** Streams of all users, on a single node; `null` if other nodes take slots too. */
  readonly total: { readonly held: number; readonly limit: number } | null;
  /**
   * Rejects with `ServerFull` if the streams of all users reach `MAX_RUNNING_STREAMS`, which bounds the memory and disk of waiting streams. Only a hint,
   * like `isFull`.
   */
  refuseAboveTotal(): Promise<void>;
  /** How many more streams the user may run, as far as this node knows; at least 0. */
  remaining(subject: string): Promise<number>;
  /** Whether `take` would be refused now. Only a hint: other calls may take or free slots meanwhile. */
  isFull(subject: string): Promise<boolean>;
  /** `false` if the user holds as many as the limit allows. Rejects with 503 at the limit of `total`. Two calls for one stream take two slots. */
  take(subject: string, holder: string): Promise<boolean>;
  /** Frees one slot of the stream, if it has any. */
  free(subject: string, holder: string): Promise<void>;
  /** Corrects a user's slots by the streams' state in the log; reads other nodes' slots at most once. */
  keep(subject: string, streams: KeptStreams): Promise<void>;
  list(): Promise<Slot[]>;
  /** Up to `limit` streams that hold slots of a user. */
  heldBy(subject: string, limit: number): Promise<string[]>;
  /** When it resolves, all held slots survive a restart. The completion policy calls it before it saves its checkpoint. */
  store(): Promise<void>;
  /** Slots that a node took: of its running uploads, and of running streams that began with one. */
  takenBy(node: string): Promise<Slot[]>;
}

/** The server accepts no more streams of any user. Nothing was stored. */
export class ServerFull extends Problem {
  constructor() {
    const message = 'The server has reached its limit of running streams (MAX_RUNNING_STREAMS). Try again in a few seconds.';
    super('GENERAL_INTERNAL_ERROR', message, { statusCode: 503, title: 'Unavailable', headers: { 'Retry-After': '2' } });
  }
}

export interface KeptStreams {
  /** Streams whose slots are freed. */
  readonly ended: readonly string[];
  /** Streams that have a slot: one without gets a new one, even above the limit, if it still runs. */
  readonly running: readonly string[];
  stillRuns(holder: string): Promise<boolean>;
}

export const slotId = (subject: string, n: number): string => `${subject}/slot/${n}`;

/** A slot read from its document, and its number. */
export const storedSlot = ({ id, body }: Pick<StoredDocument, 'id' | 'body'>): Slot & { n: number } => {
  const subject = String(body.subject);
  return { subject, holder: String(body.streamId), n: Number(id.slice(slotId(subject, 0).length - 1)) };
};

/**
 * The holder of a slot is an attempt of a stream: the stream's id for the upload, `<streamId>#<attempt>` for a rerun, so that the end of one
 * attempt never frees the slot of the next.
 */
export const slotHolder = (streamId: string, attempt = 1): string => (attempt === 1 ? streamId : `${streamId}#${attempt}`);

export const heldFor = (holder: string): { streamId: string; attempt: number } => {
  const [streamId = '', attempt = '1'] = holder.split('#');
  return { streamId, attempt: Number(attempt) };
};
