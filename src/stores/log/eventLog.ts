import type { JsonObject, JsonSchema } from '../../json.ts';
import type {
  Appended,
  ExpectedRevision,
  Position,
  ReadAllOptions,
  ReadStreamOptions,
  StoredEvent,
  SubscribeOptions,
  TopicBytes,
} from '../eventStore.ts';
import type { LogLength } from './logLength.ts';

/** What every event of the log says of itself besides its data. */
export interface EventMetadata {
  /** ISO 8601, from the injected clock. */
  readonly time: string;
  /** The owner of what changed; their key encrypts the personal members. */
  readonly subject: string;
  /** The credential that did it, or the name of the policy or processor. */
  readonly actor: string;
  readonly $correlationId: string;
  readonly $causationId: string;
  readonly schemaVersion: number;
  /** Hex; `null` for the first event of an event stream. */
  readonly previousHash: string | null;
  readonly hash: string;
}

/** An event as the domain sees it: upcast to the newest schema, personal members readable (`null` once erased). */
export interface RecordedEvent<E extends DomainEvent = DomainEvent> {
  readonly id: string;
  readonly eventStream: string;
  readonly revision: bigint;
  readonly position: Position;
  readonly type: E['type'];
  readonly data: E['data'];
  readonly metadata: EventMetadata;
}

/** What a decision returns: a name in the past tense and what changed. */
export interface DomainEvent {
  readonly type: string;
  readonly data: object;
}

/** One event type's form: its newest version, its schema, and how older versions become the newest. */
export interface EventSchema {
  readonly version: number;
  readonly schema: JsonSchema;
  /** `upcast[n]` turns the data of version n into that of version n + 1. */
  readonly upcast?: Readonly<Record<number, (data: JsonObject) => JsonObject>>;
}

export type EventSchemas = Readonly<Record<string, EventSchema>>;

/** Who does it, for whom, and what led to it. */
export interface AppendContext {
  readonly subject: string;
  readonly actor: string;
  readonly correlationId: string;
  /** Id of the event or request that caused it. */
  readonly causationId: string;
  /** Makes the ids of the events repeatable, so that a repeated command that finished work is stored once. Default: fresh ids. */
  readonly idempotencyKey?: string;
}

/** The end of an event stream: what the next append stands on. */
export interface StreamHead {
  readonly revision: ExpectedRevision;
  readonly hash: string | null;
}

/** One event stream's part of an append to several. */
export interface LogAppend {
  readonly eventStream: string;
  readonly head: StreamHead;
  readonly events: readonly DomainEvent[];
  readonly context: AppendContext;
}

export type LogAppended = Appended & { events: RecordedEvent[]; head: StreamHead };

/**
 * The log as commands, projections and policies see it: the event-store port with the codec around it. Appending checks the schema,
 * encrypts personal members and chains the hash; reading upcasts and decrypts.
 */
export interface EventLog {
  append(eventStream: string, head: StreamHead, events: readonly DomainEvent[], context: AppendContext): Promise<LogAppended>;
  /** See `EventStore.appendTogether`. */
  appendTogether?(appends: readonly LogAppend[], topics: readonly TopicBytes[]): Promise<LogAppended[]>;
  /** Rejects with `DamagedEventStream` when the event stream is not as it was written, and on an event of a newer version. */
  readStream(eventStream: string, options?: ReadStreamOptions): Promise<RecordedEvent[]>;
  /** As `subscribe` does, gives an event that cannot be read as one whose `data` and `metadata` throw the reason. */
  readAll(options: ReadAllOptions): Promise<RecordedEvent[]>;
  subscribe(
    options: SubscribeOptions,
  ): AsyncIterable<{ kind: 'event'; event: RecordedEvent } | { kind: 'caughtUp'; position: Position | null }>;
  head(): Promise<Position | null>;
  /** As stored, for audit: no upcasting, no decryption. */
  readStored(options: ReadAllOptions): Promise<StoredEvent[]>;
  /** The length of the log up to a position, for progress. */
  measure(through: Position | null, signal: AbortSignal): LogLength;
  /** Stored events as the domain sees them. Rejects on one that was tampered with. */
  decode(events: readonly StoredEvent[]): Promise<RecordedEvent[]>;
}
