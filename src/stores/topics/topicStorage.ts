import type { Hash } from 'node:crypto';
import type { Notifier } from '../../supervision/notifier.ts';
import type { Frame, FrameBytes, Manifest, WholeTopic } from '../topics.ts';

export interface TopicLength {
  readonly frames: number;
  readonly bytes: number;
}

/** Shared by the writer of a topic, its storage and its readers in this process. */
export interface WriterState {
  /** Why no more frames follow, other than a seal. */
  readonly ended: Error | null;
  /** Wakes readers when there are new frames or none will follow. */
  readonly changes: Notifier;
  end(reason: unknown): void;
}

/** A topic that is open for its writer, which makes one call at a time. */
export interface OpenTopic {
  /** What it had when it was opened, with the hash of its bytes. */
  readonly found: TopicLength & { readonly hash: Hash | null };
  /**
   * Stores frames behind those `before` them. If it rejects without calling `WriterState.end`, it has stored nothing, and the writer continues.
   */
  write(frames: readonly FrameBytes[], before: TopicLength): Promise<void>;
  /** Stores the last frames, then the manifest. Durable when it resolves. Calls `stored` when the frames can no longer be lost by a failing seal. */
  seal(frames: readonly FrameBytes[], before: TopicLength, manifest: Manifest, stored: () => void): Promise<void>;
  /** Whether the topic is still open for this writer. Only another process can change that. */
  isCurrent(): Promise<boolean>;
  /** Resolves when nothing is written any more. */
  close(): Promise<void>;
}

export interface ReadFrames {
  readonly frames: readonly Frame[];
  /** `wait`: nothing more yet. */
  readonly state: 'more' | 'wait' | 'end';
}

/** One reading of a topic. Its calls reject with `TopicMissing` if the topic was deleted or restarted, and with `TopicDamaged`. */
export interface TopicReader {
  /** The next frames in order; those up to `after` may be among them. */
  next(): Promise<ReadFrames>;
  /** Resolves when there may be more. */
  wait(): Promise<void>;
  close(): Promise<void>;
}

export interface ReadOptions<Opened> {
  readonly after: number;
  readonly follow: boolean;
  readonly signal: AbortSignal | undefined;
  /** The topic as its writer in this process has it open, if there is one. `resume` makes one. `undefined` for a sealed topic. */
  readonly opened: (how?: 'resume') => Promise<Opened | undefined>;
}

/**
 * Where topics are kept: what differs between files and MongoDB. `StoredTopics` has all rules and calls it with valid topic ids only, and for one
 * topic never with an opening and a removal at once.
 */
export interface TopicStorage<Opened extends OpenTopic> {
  /** Whether a topic whose writer ended with `StoreUnavailable` may be continued. Otherwise it can only be restarted. */
  readonly resumesAfterFailure: boolean;
  /** Rejects with `TopicSealed`, and with `TopicMissing` if there is nothing to resume. */
  open(topic: string, how: 'restart' | 'resume', writer: WriterState): Promise<Opened>;
  /** Like `Topics.whole`. `stored` rejects with `TopicSealed` if the topic exists. */
  whole(topic: string, frames: readonly FrameBytes[], manifest: Manifest): WholeTopic | null;
  manifest(topic: string): Promise<Manifest | null>;
  /** `null` if the topic does not exist. */
  size(topic: string): Promise<TopicLength | null>;
  read(topic: string, options: ReadOptions<Opened>): Promise<TopicReader>;
  /** Idempotent. */
  remove(topic: string): Promise<void>;
  /** Removes an unsealed topic that no process writes; `false` for all others. */
  removeAbandoned(topic: string): Promise<boolean>;
  /** Every topic that is not `inHand` and that no other process writes. */
  list(inHand: (topic: string) => boolean): AsyncIterable<{ readonly topic: string; readonly manifest: Manifest | null }>;
  purge(): Promise<void>;
  close(): Promise<void>;
}

export const readingOf = (frames: readonly Frame[]): TopicReader => ({
  next: async () => ({ frames, state: 'end' }),
  wait: async () => undefined,
  close: async () => undefined,
});
