/** What the main thread and the writer thread of the log say to each other. Tuples: they are copied for every append. */

/** `expected` and every other revision is -1 for "no stream". `events` holds id, type, metadata and data (JSON text) of one event after the other. */
export type AppendWork = readonly ['append', eventStream: string, expected: number, recordedAt: number, events: readonly string[]];
export type RetainWork = readonly ['retain', eventStream: string, maxAgeMilliseconds: number];
/** Deletes some events recorded before a time (milliseconds); answers how many, 0 when none are left. */
export type SweepWork = readonly ['sweep', eventStream: string, before: number];
/** All of it is stored, or nothing. */
export type TogetherWork = readonly [
  'together',
  appends: readonly AppendWork[],
  topics: readonly (readonly [topic: string, segment: Uint8Array])[],
];
export type DropTopicWork = readonly ['dropTopic', topic: string];
/** Leaves nothing that was deleted in the write-ahead log. */
export type PurgeWork = readonly ['purge'];
export type Work = AppendWork | RetainWork | SweepWork | TogetherWork | DropTopicWork | PurgeWork;

export type Answer =
  | readonly ['stored', revision: number, position: number]
  | readonly ['conflict', actual: number]
  /** For each append its last revision and position. */
  | readonly ['storedTogether', ends: readonly (readonly [revision: number, position: number])[]]
  | readonly ['conflictTogether', index: number, actual: number]
  | readonly ['done', count: number]
  | readonly ['purged']
  /** Nothing of the transaction was stored, as far as the writer can tell. */
  | readonly ['failed', code: string, message: string];

/** What the thread starts with. `sent[0]` is raised and notified after each message to it. */
export interface WriterData {
  readonly file: string;
  readonly sent: Int32Array;
}

/** `close`: finish what was sent before, close the file, end. */
export type ToWriter = readonly Work[] | 'close';

export type FromWriter =
  /** `head` is the last position, 0 for an empty log. */
  | { readonly kind: 'ready'; readonly head: number; readonly retention: readonly (readonly [eventStream: string, maxAge: number])[] }
  /** The file cannot be used; the thread ends. `newer`: it was written by a newer version. */
  | { readonly kind: 'refused'; readonly message: string; readonly newer: boolean }
  /** One answer for each piece of work, in the order in which it was sent. */
  | { readonly kind: 'answers'; readonly head: number; readonly answers: readonly Answer[] };
