import { LRUCache } from 'lru-cache';
import type { Frame, Manifest } from '../topics.ts';

/** A recently sealed topic, in the form of its file. */
export interface SealedTopic {
  readonly manifest: Manifest;
  /** All frames; `null` if the topic is too large to cache. */
  readonly frames: readonly Frame[] | null;
}

/** Largest topic whose bytes are kept. */
export const KEPT_BYTES = 131_072;
const ALL_BYTES = 33_554_432;
/** Size that a manifest counts for, in addition to its topic's bytes. */
const MANIFEST_BYTES = 1_024;

/** Memory that frames hold: a piece of a buffer, such as one of Node's pool, keeps all of it, once for all its pieces. */
const keptBy = (frames: readonly Frame[]): number => {
  const buffers = new Set(frames.map(({ data }) => data.buffer));
  return [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
};

export type SealedTopics = LRUCache<string, SealedTopic>;

/** Recently sealed topics, for readers that wait for an upload or a run to end. Read with `peek`, so that the oldest ones go first. */
export const sealedTopics = (): SealedTopics =>
  new LRUCache({ maxSize: ALL_BYTES, sizeCalculation: ({ frames }) => MANIFEST_BYTES + (frames ? keptBy(frames) : 0) });
