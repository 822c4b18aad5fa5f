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

/** Metadata of every event in the log. */
export interface EventMetadata {
  /** ISO 8601, from the injected clock. */
  readonly time: string;
  /** The owner of the changed resource, whose key encrypts the personal members. */
  readonly subject: string;
  /** The credential, policy or processor that caused it. */
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

/** A result of a decision: a name in the past tense, and what changed. */
export interface DomainEvent {
  readonly type: string;
  readonly data: object;
}

/** The newest version of an event type, its schema, and the upcasts from older versions. */
export interface EventSchema {
  readonly version: number;
  readonly schema: JsonSchema;
  /** `upcast[n]` turns the data of version n into that of version n + 1. */
  readonly upcast?: Readonly<Record<number, (data: JsonObject) => JsonObject>>;
  /** Its personal members are encrypted under a key of the event stream besides that of the subject: destroying either makes them unreadable. */
  readonly ownKey?: boolean;
}

export type EventSchemas = Readonly<Record<string, EventSchema>>;

/** Actor, subject and cause of a command. */
export interface AppendContext {
  readonly subject: string;
  readonly actor: string;
  readonly correlationId: string;
  /** Id of the event or request that caused it. */
  readonly causationId: string;
  /** Makes the event ids repeatable, so that a repeated command is stored once. Default: random ids. */
  readonly idempotencyKey?: string;
}

/** The end of an event stream, which the next append continues. */
export interface StreamHead {
  readonly revision: ExpectedRevision;
  readonly hash: string | null;
}

/** An append, as its observers see it. */
export interface LogAppend {
  readonly eventStream: string;
  readonly events: readonly DomainEvent[];
  readonly context: AppendContext;
}

export interface LogAppended extends Appended {
  readonly events: RecordedEvent[];
  readonly head: StreamHead;
  /** Length of the events' text in the log. */
  readonly bytes: number;
}

/** The stored event is intact, but only a newer version of this program can read it. */
export class NewerVersion extends Error {}

/**
 * The log as commands, projections and policies see it: the event-store port with the codec around it. Appending checks the schema, encrypts
 * personal members and chains the hash; reading upcasts and decrypts.
 */
export interface EventLog {
  /** See `EventStore.keepsTopics`. */
  readonly keepsTopics: boolean;
  append(
    eventStream: string,
    head: StreamHead,
    events: readonly DomainEvent[],
    context: AppendContext,
    topic?: TopicBytes,
  ): Promise<LogAppended>;
  /** Rejects with `DamagedEventStream` if the event stream was changed after it was written, and with `NewerVersion`. */
  readStream(eventStream: string, options?: ReadStreamOptions): Promise<RecordedEvent[]>;
  /** Like `subscribe`, delivers an unreadable event as one whose `data` and `metadata` throw the reason. */
  readAll(options: ReadAllOptions): Promise<RecordedEvent[]>;
  subscribe(
    options: SubscribeOptions,
  ): AsyncIterable<{ kind: 'event'; event: RecordedEvent } | { kind: 'caughtUp'; position: Position | null }>;
  head(): Promise<Position | null>;
  /** As stored, for audits: without upcasting or decryption. */
  readStored(options: ReadAllOptions): Promise<StoredEvent[]>;
  /** Stored events as the domain sees them. Rejects on an event that was tampered with. */
  decode(events: readonly StoredEvent[]): Promise<RecordedEvent[]>;
}
