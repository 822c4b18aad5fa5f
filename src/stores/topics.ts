import type { JsonObject } from '../json.ts';
import { StoreUnavailable, type TopicBytes } from './eventStore.ts';

/** One piece of a topic: at most 1 MiB. Sequences count from 0 without gaps. */
export interface Frame {
  readonly sequence: number;
  /** When it was appended, milliseconds since the epoch. */
  readonly at: number;
  readonly data: Uint8Array;
}

export const MAX_FRAME_BYTES = 1_048_576;

/** The bytes of a frame to be written: one piece, or several consecutive ones as they arrived. */
export type FrameBytes = Uint8Array | readonly Uint8Array[];

export const piecesOf = (frame: FrameBytes): readonly Uint8Array[] => (frame instanceof Uint8Array ? [frame] : frame);

/** Bytes. */
export const lengthOf = (frame: FrameBytes): number => piecesOf(frame).reduce((bytes, piece) => bytes + piece.length, 0);

/** Bytes of all frames. */
export const bytesOf = (frames: readonly FrameBytes[]): number => frames.reduce((bytes, frame) => bytes + lengthOf(frame), 0);

/** The bytes in one piece; copied only if there are several pieces. */
export const wholeOf = (frame: FrameBytes): Uint8Array => {
  const [first, ...others] = piecesOf(frame);
  return first && others.length === 0 ? first : Buffer.concat(piecesOf(frame));
};

/** A UUID in lower case: no other id is valid. */
export const TOPIC_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Closes a topic; no frame follows it. */
export interface Manifest {
  readonly frames: number;
  /** Sum of the frames' sizes. */
  readonly bytes: number;
  /** Hex SHA-256 over all frames' data, in order. */
  readonly sha256: string;
  readonly attributes: JsonObject;
}

export interface ReadTopicOptions {
  /** Exclusive; -1 (the default) reads from the first frame. */
  readonly after?: number;
  /** Wait for more until the topic is sealed or deleted; otherwise end at the last existing frame. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** A sealed topic for the append of its events: a small one, created and sealed at once, or that of a resumable upload, which is durable already. */
export interface WholeTopic extends TopicBytes {
  readonly manifest: Manifest;
}

/** Largest number of bytes in a whole topic. */
export const MAX_WHOLE_BYTES = 65_536;

/**
 * The data plane: data sources, destinations and sinks, by topic id (a UUID, the last part of a topic's public name). A topic has one writer.
 * Contract suite: `test/contract/topics.ts`. Rejects with `StoreUnavailable` if the store is away or full, `TopicSealed` on an append to a sealed
 * topic, `TopicMissing` on a read of a topic that does not exist.
 */
export interface Topics {
  /** Creates an empty topic. Empties an existing unsealed one, so that a repeated run starts over. */
  create(topic: string): Promise<void>;
  /**
   * Continues an unsealed topic in this process, and resolves with its length: what another process appends to it afterwards is refused. Rejects with
   * `TopicMissing` and `TopicSealed`.
   */
  resume(topic: string): Promise<{ frames: number; bytes: number }>;
  /** Resolves with the last sequence when followers can read the frames, not necessarily synced; waits while the disk is slow. */
  append(topic: string, frames: readonly FrameBytes[]): Promise<number>;
  /** Syncs the frames and the manifest to disk, then resolves. Idempotent for the same content. */
  seal(topic: string, attributes?: JsonObject): Promise<Manifest>;
  /**
   * A sealed topic of at most 64 KiB for the append of its events. Some stores write it in the same commit. Others begin to store it now, so a caller that
   * does not append must wait for `stored` and delete the topic. `null` when it must be created, filled and sealed: it is larger, the id is in use here,
   * or the store beside the events is full.
   */
  whole(topic: string, frames: readonly FrameBytes[], attributes: JsonObject): WholeTopic | null;
  /** `null` while the topic is open. */
  manifest(topic: string): Promise<Manifest | null>;
  /** Bytes and frames so far; `null` if the topic does not exist. */
  size(topic: string): Promise<{ frames: number; bytes: number } | null>;
  read(topic: string, options?: ReadTopicOptions): AsyncIterable<Frame>;
  /**
   * Where to read so that the byte is found: a read after `after` begins with byte `byte`, which is the wanted one or before it. Only of a store that
   * knows where frames begin.
   */
  seek?(topic: string, byte: number): Promise<{ readonly after: number; readonly byte: number }>;
  /** Idempotent. Following readers end with `TopicMissing`. */
  delete(topic: string): Promise<void>;
  /** Every topic without a writer, in any order; `manifest` is `null` if its writer is gone. */
  list(): AsyncIterable<{ readonly topic: string; readonly manifest: Manifest | null }>;
  /** Deletes a topic without manifest and writer; `false` if it has one. */
  deleteAbandoned(topic: string): Promise<boolean>;
  /** When it resolves, no file of the store contains bytes of deleted topics. A store that cannot guarantee this (MongoDB) does nothing. */
  purge(): Promise<void>;
  close(): Promise<void>;
}

export class TopicMissing extends Error {
  constructor(readonly topic: string) {
    super(`no topic ${topic}`);
    this.name = 'TopicMissing';
  }
}

/** A sealed topic lacks frames or has wrong ones, after a power cut or a disk fault. */
export class TopicDamaged extends StoreUnavailable {
  constructor(
    readonly topic: string,
    readonly after: number,
  ) {
    super(after < 0 ? `topic ${topic} is damaged` : `topic ${topic} is damaged after frame ${after}`);
    this.name = 'TopicDamaged';
  }
}

export class TopicSealed extends Error {
  constructor(readonly topic: string) {
    super(`topic ${topic} is sealed`);
    this.name = 'TopicSealed';
  }
}
