import type { JsonObject } from '../json.ts';
import type { EventFilter } from './log/eventFilter.ts';

/** Place of an event in the whole log: opaque, and sorts (as text) in the order of the log. */
export type Position = string & { readonly brand: 'Position' };

/** What an append expects: the revision of the event stream's last event, or that it does not exist. There is no "any". */
export type ExpectedRevision = bigint | 'no stream';

export interface NewStoredEvent {
  /** UUID. Repeating an append with the same ids and expected revision returns the first outcome. */
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: JsonObject;
}

/** An event whose appender already has the canonical JSON (RFC 8785) of data and metadata, which a store of text stores as it is. */
export interface WrittenEvent extends NewStoredEvent {
  readonly text?: { readonly data: string; readonly metadata: string };
}

export interface StoredEvent extends NewStoredEvent {
  readonly eventStream: string;
  /** Counts from 0 within its event stream. */
  readonly revision: bigint;
  readonly position: Position;
}

/** An event as text. */
export interface EventText extends Pick<StoredEvent, 'id' | 'type' | 'eventStream' | 'revision' | 'position'> {
  /** JSON text, unless the event was changed or written by another program. */
  readonly data: string;
  readonly metadata: string;
}

export interface Appended {
  /** Of the last appended event. */
  readonly revision: bigint;
  readonly position: Position;
}

/** A sealed topic that comes with events. With neither `segment` nor `stored`, it is durable already. */
export interface TopicBytes {
  readonly topic: string;
  /** For the commit of the events, in a store that keeps topics. */
  readonly segment?: Uint8Array;
  /** Elsewhere: resolves when the topic is durable, which is before the events are appended. Repeats a failed attempt. */
  readonly stored?: () => Promise<void>;
}

export interface ReadStreamOptions {
  /** First revision to read, inclusive. Default: the first event (the last one when backwards). */
  readonly from?: bigint;
  readonly direction?: 'forwards' | 'backwards';
  /** Default: all events. */
  readonly limit?: number;
}

export interface ReadAllOptions {
  /** Exclusive; `null` is before the first event (after the last one when backwards). */
  readonly after: Position | null;
  readonly limit: number;
  /** A page ends early once its events have about this much text. It is empty only at the end of the log. */
  readonly maxBytes?: number | undefined;
  readonly direction?: 'forwards' | 'backwards';
  /** Only matching events. */
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
  /** Everything in the log has been delivered; `position` is the head at that time, safe as a checkpoint. */
  | { readonly kind: 'caughtUp'; readonly position: Position | null };

/** A setting of the store, not of the platform, about the visible events of an event stream. The newest one applies. */
export interface Hiding {
  readonly eventStream: string;
  /** Position of the setting itself. */
  readonly position: Position;
  /** `old`: events over an age; `first`: all before a revision; `all`: the event stream was deleted; `nothing`: everything is visible again. */
  readonly hides: 'old' | 'first' | 'all' | 'nothing';
}

/**
 * The event log. Expected revisions and repeated appends work as in EventStoreDB. The contract suite `test/contract/eventStore.ts` lists the rules
 * and runs on every adapter.
 *
 * Every method rejects with `StoreUnavailable` if the store is away, silent or cannot write; `append` with `WrongExpectedRevision` or
 * `AppendTooLarge`. The store's own system events are never shown. `append` and `readStream` reject with `DamagedEventStream` for an event stream
 * that was deleted in the store itself.
 */
export interface EventStore {
  /** The store repeats an append itself while its outcome is unknown: a caller's repetition would multiply the time-out. */
  readonly repeatsAppends: boolean;
  /** `append` stores the segment of a small topic in the same commit. The topic is read through the `Topics` of this store. */
  readonly keepsTopics: boolean;
  /** Synced to disk when it resolves. Takes at least one event, at most 1 MiB together, and stores all or nothing. */
  append(eventStream: string, expected: ExpectedRevision, events: readonly WrittenEvent[], topic?: TopicBytes): Promise<Appended>;
  /** Empty for an event stream that does not exist. */
  readStream(eventStream: string, options?: ReadStreamOptions): Promise<StoredEvent[]>;
  readAll(options: ReadAllOptions): Promise<StoredEvent[]>;
  /** Like `readAll` forwards: `verify` hashes the stored text. */
  readTexts(options: Pick<ReadAllOptions, 'after' | 'limit' | 'maxBytes'>): Promise<EventText[]>;
  /** Everything that the store hides from reads of event streams, in the order of the log. */
  hidings(): Promise<readonly Hiding[]>;
  /** Sentences on access rights that weaken what `verify` proves. */
  rightsWarnings(): Promise<string[]>;
  /** Position of the last event, `null` for an empty log. */
  head(): Promise<Position | null>;
  /** Never skips or repeats an event after `after`. Pulls pages, so that a slow consumer slows the reader and memory stays bounded. */
  subscribe(options: SubscribeOptions): AsyncIterable<SubscriptionItem>;
  /** Events older than `maxAgeSeconds` may disappear; revisions continue. */
  setRetention(eventStream: string, maxAgeSeconds: number): Promise<void>;
  close(): Promise<void>;
}

/** The event stream was not at the expected revision. `actual` is its current one. */
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

/** The events of one append exceed 1 MiB together. */
export class AppendTooLarge extends Error {
  constructor(readonly bytes: number) {
    super(`an append of ${bytes} bytes; at most ${MAX_APPEND_BYTES}`);
    this.name = 'AppendTooLarge';
  }
}

/** An event stream was changed after it was written: events are hidden, missing, or not of this platform. Repeating does not help. */
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
  override name = 'StoreUnavailable';
}

export const MAX_APPEND_BYTES = 1_048_576;
