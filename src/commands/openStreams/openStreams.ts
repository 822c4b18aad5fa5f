import { Problem } from '../../domain/problem.ts';

/**
 * The collection of the streams that are not over: those that run, with their owner and the node that took the upload, and those that have ended, with
 * the time from which their retention counts. A document is written before `StreamCreated` and removed when the stream expires.
 */
export const OPEN_STREAMS = {
  name: 'openStreams',
  indexes: [
    ['owner', 'state'],
    ['node', 'state'],
    ['state', 'since'],
  ],
} as const;

/** A stream that runs, or a place that its upload or rerun has reserved. */
export interface RunningStream {
  readonly owner: string;
  /** The attempt that runs (`holderOf`). */
  readonly holder: string;
  /** When the place was reserved, milliseconds since the epoch. */
  readonly since: number;
}

/**
 * `kept`: the owner asked for a later time. `deleted`: the owner asked for the deletion, which comes first. `unredacted`: what came before the redaction
 * could not be deleted at its end; then the stream gets another class.
 */
export const RETENTION_CLASSES = ['deleted', 'unredacted', 'ephemeral', 'persistent', 'kept'] as const;
export type RetentionClass = (typeof RETENTION_CLASSES)[number];

/** An ended stream whose data still exist. */
export interface Expiry {
  readonly streamId: string;
  readonly retention: RetentionClass;
  /**
   * Start of its retention time in Unix milliseconds: the stream's end, or when its last live reader was seen. For `kept`, the requested time
   * itself.
   */
  readonly since: number;
  /** Correlation id of the stream's first attempt, used for its expiry. Missing in documents of earlier versions: then it is read from the log. */
  readonly correlationId?: string;
}

/** Gives a reserved place back, if its stream has not come. Repeatable. */
export type Release = () => Promise<void>;

/** Limits how many streams a user runs at once. All methods may reject with `StoreUnavailable`. */
export interface RunningStreams {
  /** Limit of each user. */
  readonly limit: number;
  /** Streams of all users, on a single node; `null` if other nodes start streams too. */
  readonly total: { readonly held: number; readonly limit: number } | null;
  /**
   * Rejects with `ServerFull` if the streams of all users reach `MAX_RUNNING_STREAMS`, which bounds the memory and disk of waiting streams. Only a hint,
   * like `isFull`.
   */
  refuseAboveTotal(): Promise<void>;
  /** How many more streams the user may run, as far as this node knows; at least 0. */
  remaining(owner: string): Promise<number>;
  /** Whether `reserve` would be refused now. Only a hint: other calls may start or end streams meanwhile. */
  isFull(owner: string): Promise<boolean>;
  /**
   * Reserves a place for an attempt of a stream. `null` if the user runs as many as the limit allows. Rejects with `ServerFull`. If another request has
   * reserved it for the same attempt, the place is shared and `Release` does nothing.
   */
  reserve(owner: string, holder: string): Promise<Release | null>;
  /** For an attempt that has ended or never came. */
  release(owner: string, holder: string): Promise<void>;
  /** For attempts that run according to the log: those without a place get one, even above the limit, if `stillRuns`. */
  ensure(streams: readonly Omit<RunningStream, 'since'>[], stillRuns: (holder: string) => Promise<boolean>): Promise<void>;
  /** All of them, or those of an owner, in any order. */
  running(owner?: string, limit?: number): Promise<RunningStream[]>;
  /** Those whose upload or rerun a node has taken. */
  takenBy(node: string): Promise<RunningStream[]>;
  /** When it resolves, all running streams have documents. Called before a checkpoint is saved. */
  store(): Promise<void>;
}

/** The server accepts no more streams of any user. Nothing was stored. */
export class ServerFull extends Problem {
  constructor() {
    const message = 'The server has reached its limit of running streams (MAX_RUNNING_STREAMS). Try again in a few seconds.';
    super('GENERAL_INTERNAL_ERROR', message, { statusCode: 503, title: 'Unavailable', headers: { 'Retry-After': '2' } });
  }
}

/**
 * An attempt of a stream: the stream's id for the upload, `<streamId>#<attempt>` for a rerun, so that the end of one attempt never frees the place of the
 * next.
 */
export const holderOf = (streamId: string, attempt = 1): string => (attempt === 1 ? streamId : `${streamId}#${attempt}`);

export const heldFor = (holder: string): { streamId: string; attempt: number } => {
  const [streamId = '', attempt = '1'] = holder.split('#');
  return { streamId, attempt: Number(attempt) };
};
