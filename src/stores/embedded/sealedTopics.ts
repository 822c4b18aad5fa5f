import { LRUCache } from 'lru-cache';
import type { Frame, Manifest } from '../topics.ts';

/** A topic that was sealed here a short while ago, as it lies in its file. */
export interface SealedTopic {
  readonly manifest: Manifest;
  /** All of them; `null` for a topic too large to be kept. */
  readonly frames: readonly Frame[] | null;
}

/** Largest topic whose bytes are kept. */
export const KEPT_BYTES = 131_072;
const ALL_BYTES = 16 * 1_048_576;
/** What a manifest counts for, beside its topic's bytes. */
const MANIFEST_BYTES = 1_024;

/** What frames keep in memory: a piece of a buffer, such as one of Node's pool, keeps all of it, once for all its pieces. */
const keptBy = (frames: readonly Frame[]): number => {
  const buffers = new Set(frames.map(({ data }) => data.buffer));
  return [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
};

/** Topics sealed lately: whoever waits for an upload or a run to end reads them at once, and need not open their files. */
export const sealedTopics = (): LRUCache<string, SealedTopic> =>
  new LRUCache({
    maxSize: ALL_BYTES,
    sizeCalculation: ({ frames }) => MANIFEST_BYTES + (frames ? keptBy(frames) : 0),
  });
