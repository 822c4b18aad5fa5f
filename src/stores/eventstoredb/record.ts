import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { JsonObject } from '../../json.ts';
import type { EventText, Position, StoredEvent } from '../eventStore.ts';
import { toPosition } from './position.ts';

type Recorded = ReadResp.ReadEvent.RecordedEvent;

/** An event as the server sent it. Parsed when it is first wanted, once for all who follow. */
export class EventRecord {
  readonly eventStream: string;
  readonly type: string;
  readonly position: Position;
  readonly bytes: number;
  readonly #recorded: Recorded;
  #event: StoredEvent | null = null;

  constructor(recorded: Recorded) {
    this.#recorded = recorded;
    this.eventStream = Buffer.from(recorded.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
    this.type = recorded.getMetadataMap().get('type') ?? '';
    this.position = toPosition(recorded.getCommitPosition(), recorded.getPreparePosition());
    this.bytes = recorded.getData_asU8().length + recorded.getCustomMetadata_asU8().length;
  }

  /** Of the store itself (`$...`), or not JSON: written by something else than this platform. */
  get foreign(): boolean {
    return (
      this.eventStream.startsWith('$') ||
      this.type.startsWith('$') ||
      this.#recorded.getMetadataMap().get('content-type') !== 'application/json'
    );
  }

  /** Throws when data or metadata are not JSON objects: they were changed, or written by something else. */
  get event(): StoredEvent {
    if (this.#event) return this.#event;
    const { data, metadata, ...place } = this.text;
    this.#event = { ...place, data: parsed(data), metadata: parsed(metadata) };
    return this.#event;
  }

  get revision(): bigint {
    return BigInt(this.#recorded.getStreamRevision());
  }

  get id(): string {
    return this.#recorded.getId()?.getString() ?? '';
  }

  get metadata(): JsonObject {
    return this.event.metadata;
  }

  /** Nothing parsed. */
  get text(): EventText {
    const recorded = this.#recorded;
    return {
      id: this.id,
      type: this.type,
      eventStream: this.eventStream,
      revision: this.revision,
      position: this.position,
      data: Buffer.from(recorded.getData_asU8()).toString(),
      metadata: Buffer.from(recorded.getCustomMetadata_asU8()).toString(),
    };
  }
}

const parsed = (text: string): JsonObject => {
  const value: unknown = JSON.parse(text === '' ? '{}' : text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('an event whose data or metadata are not a JSON object');
  // What JSON.parse gives for an object.
  return value as JsonObject;
};
