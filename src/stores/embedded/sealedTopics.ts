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

/** Topics sealed lately: whoever waits for an upload or a run to end reads them at once, and need not open their files. */
export const sealedTopics = (): LRUCache<string, SealedTopic> =>
  new LRUCache({
    maxSize: ALL_BYTES,
    sizeCalculation: ({ manifest, frames }) => MANIFEST_BYTES + (frames ? manifest.bytes : 0),
  });
