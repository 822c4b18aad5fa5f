import type { JsonObject } from '../json.ts';
import type { EventFilter } from './log/eventFilter.ts';

/** Where an event lies in the whole log: opaque, and sorts (as text) as the log does. */
export type Position = string & { readonly brand: 'Position' };

/** What an append expects: the revision of the event stream's last event, or that it does not exist. There is no "any". */
export type ExpectedRevision = bigint | 'no stream';

export interface NewStoredEvent {
  /** UUID. Repeating an append with the same ids and the same expected revision tells how the first one ended. */
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: JsonObject;
}

/** An event whose appender has the canonical JSON (RFC 8785) of data and metadata already: a store that keeps text stores that. */
export interface WrittenEvent extends NewStoredEvent {
  readonly text?: { readonly data: string; readonly metadata: string };
}

export interface StoredEvent extends NewStoredEvent {
  readonly eventStream: string;
  /** Counts from 0 within its event stream. */
  readonly revision: bigint;
  readonly position: Position;
}

/** An event as a store that keeps text keeps it: nothing parsed. */
export interface EventText extends Pick<StoredEvent, 'id' | 'type' | 'eventStream' | 'revision' | 'position'> {
  /** JSON text, unless it was changed or another program wrote it. */
  readonly data: string;
  readonly metadata: string;
}

export interface Appended {
  /** Of the last event appended. */
  readonly revision: bigint;
  readonly position: Position;
}

/** One event stream's part of an append to several. */
export interface StreamAppend {
  readonly eventStream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly WrittenEvent[];
}

/** A sealed topic as one piece of bytes. */
export interface TopicBytes {
  readonly topic: string;
  readonly segment: Uint8Array;
}

export interface ReadStreamOptions {
  /** First revision to read, inclusive. Default: the first event (the last one when backwards). */
  readonly from?: bigint;
  readonly direction?: 'forwards' | 'backwards';
  /** Default: all of it. */
  readonly limit?: number;
}

export interface ReadAllOptions {
  /** Exclusive; `null` is before the first event (after the last one when backwards). */
  readonly after: Position | null;
  readonly limit: number;
  readonly direction?: 'forwards' | 'backwards';
  /** Only events that match; a page is then short only at the end of the log. */
  readonly where?: EventFilter;
}

export interface SubscribeOptions {
  readonly after: Position | null;
  /** Event stream name prefixes or event types; an event that matches neither is not delivered. Default: all. */
  readonly filter?: { readonly prefixes?: readonly string[]; readonly types?: readonly string[] };
  readonly signal: AbortSignal;
}

export type SubscriptionItem =
  | { readonly kind: 'event'; readonly event: StoredEvent }
  /** All that the log held has been delivered; `position` is the log's head then, safe as a checkpoint. */
  | { readonly kind: 'caughtUp'; readonly position: Position | null };

/** A decision of the store, not of the platform, about what readings of an event stream show. The newest one of an event stream holds. */
export interface Hiding {
  readonly eventStream: string;
  /** Position of the decision itself. */
  readonly position: Position;
  /** `old`: events over an age; `first`: all before a revision; `all`: the event stream was deleted; `nothing`: it shows everything again. */
  readonly hides: 'old' | 'first' | 'all' | 'nothing';
}

/**
 * The event log. Semantics are those of EventStoreDB for expected revisions and repeated appends. The contract suite
 * `test/contract/eventStore.ts` says them one by one and runs on every adapter.
 *
 * Every method rejects with `StoreUnavailable` when the store is away, silent or cannot write; `append` with `WrongExpectedRevision`
 * or `AppendTooLarge`. System events of the store itself are never shown. `append` and `readStream` reject with `DamagedEventStream` for an event stream
 * that was deleted by the store's own means.
 */
export interface EventStore {
  /** It repeats an append itself while its outcome is unknown: a caller that repeated it too would multiply the time-out. */
  readonly repeatsAppends?: true;
  /** Durable (synced to disk) when it resolves. At least one event, at most 1 MiB in sum. All or nothing. */
  append(eventStream: string, expected: ExpectedRevision, events: readonly WrittenEvent[]): Promise<Appended>;
  /**
   * Appends to several event streams and stores small topics in one commit: all or nothing. One answer for each append. Only of a store that can; a topic is
   * found again by the `Topics` that lie beside it. Rejects as `append` does, with `WrongExpectedRevision` of one of the event streams.
   */
  appendTogether?(appends: readonly StreamAppend[], topics: readonly TopicBytes[]): Promise<Appended[]>;
  /** Empty for an event stream that does not exist. */
  readStream(eventStream: string, options?: ReadStreamOptions): Promise<StoredEvent[]>;
  readAll(options: ReadAllOptions): Promise<StoredEvent[]>;
  /** As `readAll` forwards, of a store that keeps text: for `verify`, which hashes what is stored. */
  readTexts?(options: Pick<ReadAllOptions, 'after' | 'limit'>): Promise<EventText[]>;
  /** Everything that the store hides from readings of event streams, in the order of the log. Missing where a store cannot hide anything. */
  hidings?(): AsyncIterable<Hiding>;
  /** Counts the events up to `through`, a page at a time: `position` is that of the last event of a page. Missing where positions count events. */
  countEvents?(through: Position): AsyncIterable<{ readonly position: Position; readonly events: number }>;
  /** Sentences on rights at the store that weaken what `verify` proves. */
  rightsWarnings?(): Promise<string[]>;
  /** Position of the last event, `null` for an empty log. */
  head(): Promise<Position | null>;
  /** Never skips or repeats an event after `after`; pulls pages, so a slow consumer slows the reader and memory stays bounded. */
  subscribe(options: SubscribeOptions): AsyncIterable<SubscriptionItem>;
  /** Events of the event stream older than `maxAgeSeconds` may disappear; revisions go on counting. */
  setRetention(eventStream: string, maxAgeSeconds: number): Promise<void>;
  close(): Promise<void>;
}

/** The event stream was not at the expected revision. `actual` is its present one. */
export class WrongExpectedRevision extends Error {
  constructor(
    readonly eventStream: string,
    readonly expected: ExpectedRevision,
    readonly actual: ExpectedRevision,
  ) {
    super(`${eventStream}: expected revision ${expected}, it is at ${actual}`);
    this.name = 'WrongExpectedRevision';
  }
}

/** The events of one append are over 1 MiB in sum. */
export class AppendTooLarge extends Error {
  constructor(readonly bytes: number) {
    super(`an append of ${bytes} bytes; at most ${MAX_APPEND_BYTES}`);
    this.name = 'AppendTooLarge';
  }
}

/** An event stream is not as it was written: events are hidden or missing, or are not of this platform. Repeating does not help. */
export class DamagedEventStream extends Error {
  constructor(
    readonly eventStream: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`The event stream ${eventStream} is damaged: ${reason}. An operator must run tributary audit verify.`, options);
    this.name = 'DamagedEventStream';
  }
}

/** The store is away, silent, or cannot write now (a full disk). The outcome of an append is unknown: repeat it with the same ids. */
export class StoreUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreUnavailable';
  }
}

export const MAX_APPEND_BYTES = 1_048_576;
