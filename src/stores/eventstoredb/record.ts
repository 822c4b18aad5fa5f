import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { JsonObject } from '../../json.ts';
import type { EventText, Position, StoredEvent } from '../eventStore.ts';
import { storedObject } from '../log/unreadableEvent.ts';
import { toPosition } from './position.ts';

/** An event from the server. Its JSON is parsed at first use, once for all followers. */
export class EventRecord {
  readonly id: string;
  readonly eventStream: string;
  readonly type: string;
  readonly revision: bigint;
  readonly position: Position;
  readonly bytes: number;
  /** An event of the store itself (`$...`): metadata, tombstones, users. */
  readonly system: boolean;
  readonly #data: string;
  readonly #metadata: string;
  #event: StoredEvent | null = null;

  constructor(recorded: ReadResp.ReadEvent.RecordedEvent) {
    const members = recorded.getMetadataMap();
    const [data, metadata] = [recorded.getData_asU8(), recorded.getCustomMetadata_asU8()];
    this.id = recorded.getId()?.getString() ?? '';
    this.eventStream = textOf(recorded.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array());
    this.type = members.get('type') ?? '';
    this.revision = BigInt(recorded.getStreamRevision());
    this.position = toPosition(recorded.getCommitPosition(), recorded.getPreparePosition());
    this.bytes = data.length + metadata.length;
    this.system = this.eventStream.startsWith('$') || this.type.startsWith('$');
    this.#data = textOf(data);
    this.#metadata = textOf(metadata);
  }

  get event(): StoredEvent {
    const { id, eventStream, type, revision, position } = this;
    this.#event ??= { id, eventStream, type, revision, position, data: storedObject(this.#data), metadata: storedObject(this.#metadata) };
    return this.#event;
  }

  get metadata(): JsonObject {
    return this.event.metadata;
  }

  /** Without parsing. */
  get text(): EventText {
    const { id, eventStream, type, revision, position } = this;
    return { id, eventStream, type, revision, position, data: this.#data, metadata: this.#metadata };
  }
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
