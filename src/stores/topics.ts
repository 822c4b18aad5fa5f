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

/** The bytes of a frame that is to be written: in one piece, or in several that follow each other as they have arrived. */
export type FrameBytes = Uint8Array | readonly Uint8Array[];

export const piecesOf = (frame: FrameBytes): readonly Uint8Array[] => (frame instanceof Uint8Array ? [frame] : frame);

/** Bytes. */
export const lengthOf = (frame: FrameBytes): number => piecesOf(frame).reduce((bytes, piece) => bytes + piece.length, 0);

/** In one piece; a copy only where it was in several. */
export const wholeOf = (frame: FrameBytes): Uint8Array => {
  const [first, ...others] = piecesOf(frame);
  return first && others.length === 0 ? first : Buffer.concat(piecesOf(frame));
};

/** A UUID in lower case: no other id is ever a topic's. */
export const TOPIC_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** What closes a topic. Nothing follows it. */
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
  /** Wait for more until the topic is sealed or deleted; else end at the last frame that is there. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** A small topic, made and sealed in one go: to be stored with the events that it belongs to (`EventStore.appendTogether`). */
export interface WholeTopic extends TopicBytes {
  readonly manifest: Manifest;
  /** To be called when it has been stored. */
  readonly stored: () => void;
}

/** Frames of a whole topic, at most. */
export const MAX_WHOLE_BYTES = 65_536;

/**
 * The data plane: data sources, destinations and sinks, by topic id (a UUID, the last part of a topic's public name). One writer a
 * topic. Contract suite: `test/contract/topics.ts`. Rejects with `StoreUnavailable` when the store is away or full, `TopicSealed` on an
 * append to a sealed topic, `TopicMissing` on a read of a topic that is not there (never written, or deleted).
 */
export interface Topics {
  /** Makes an empty topic. An existing one that is not sealed is emptied: a run that starts again starts over. */
  create(topic: string): Promise<void>;
  /** Resolves when the frames can be read by followers, not yet synced; waits while the disk is behind. Returns the last sequence. */
  append(topic: string, frames: readonly FrameBytes[]): Promise<number>;
  /** Syncs the frames and the manifest to disk, then resolves. Idempotent for the same content. */
  seal(topic: string, attributes?: JsonObject): Promise<Manifest>;
  /** A topic as a whole, not stored yet. `null` when it is over 64 KiB, the id is in use, or the store beside the events is full. */
  whole?(topic: string, frames: readonly FrameBytes[], attributes: JsonObject): WholeTopic | null;
  /** `null` while it is still open. */
  manifest(topic: string): Promise<Manifest | null>;
  /** Bytes and frames so far; `null` when there is no such topic. */
  size(topic: string): Promise<{ frames: number; bytes: number } | null>;
  read(topic: string, options?: ReadTopicOptions): AsyncIterable<Frame>;
  /** Idempotent. Readers that follow it end with `TopicMissing`. */
  delete(topic: string): Promise<void>;
  /** Every topic that nobody is writing, in no order; `manifest` is `null` for one whose writer is gone. */
  list(): AsyncIterable<{ readonly topic: string; readonly manifest: Manifest | null }>;
  /** Deletes a topic that has no manifest and no writer; `false` when it is not such a one. */
  deleteAbandoned(topic: string): Promise<boolean>;
  /** Resolves when no file has bytes of deleted topics any more, where the store keeps several topics in a file. */
  purge?(): Promise<void>;
  close(): Promise<void>;
}

export class TopicMissing extends Error {
  constructor(readonly topic: string) {
    super(`no topic ${topic}`);
    this.name = 'TopicMissing';
  }
}

/** A sealed topic lacks frames, or they are not those that were written: a power cut, or a fault of the disk. */
export class TopicDamaged extends StoreUnavailable {
  constructor(
    readonly topic: string,
    readonly after: number,
  ) {
    super(`topic ${topic} is damaged after frame ${after}`);
    this.name = 'TopicDamaged';
  }
}

export class TopicSealed extends Error {
  constructor(readonly topic: string) {
    super(`topic ${topic} is sealed`);
    this.name = 'TopicSealed';
  }
}
