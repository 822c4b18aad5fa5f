/** Messages between the main thread and the writer thread of the log. They are tuples, because they are copied for every append. */

/**
 * `expected` and every other revision is -1 for "no stream". `events` is flat: id, type, metadata and data (JSON text) of each event. The topic is
 * stored with them.
 */
export type AppendWork = readonly [
  'append',
  eventStream: string,
  expected: number,
  recordedAt: number,
  events: readonly string[],
  topic: readonly [id: string, segment: Uint8Array] | undefined,
];
export type RetainWork = readonly ['retain', eventStream: string, maxAgeMilliseconds: number];
/** Deletes some events recorded before a time (milliseconds); returns their number, 0 when none are left. */
export type SweepWork = readonly ['sweep', eventStream: string, before: number];
export type DropTopicWork = readonly ['dropTopic', topic: string];
/** Removes deleted data from the write-ahead log. */
export type PurgeWork = readonly ['purge'];
export type Work = AppendWork | RetainWork | SweepWork | DropTopicWork | PurgeWork;

export type Answer =
  | readonly ['stored', revision: number, position: number]
  | readonly ['conflict', actual: number]
  | readonly ['done', count: number]
  | readonly ['purged']
  /** Nothing of the transaction was stored, as far as the writer knows. */
  | readonly ['failed', code: string, message: string];

/** Start parameters of the thread. `sent[0]` is incremented and notified after each message to it. */
export interface WriterData {
  readonly file: string;
  readonly sent: Int32Array;
}

/** `close`: finish all earlier work, close the file, end. */
export type ToWriter = readonly Work[] | 'close';

export type FromWriter =
  /** `head` is the last position, 0 for an empty log. */
  | {
      readonly kind: 'ready';
      readonly head: number;
      readonly retention: readonly (readonly [eventStream: string, maxAge: number])[];
      /** Topics whose bytes are missing. */
      readonly lostTopics: number;
    }
  /** The file cannot be used, and the thread ends. */
  | { readonly kind: 'refused'; readonly message: string }
  /** One answer for each piece of work, in order. */
  | { readonly kind: 'answers'; readonly head: number; readonly answers: readonly Answer[] };
