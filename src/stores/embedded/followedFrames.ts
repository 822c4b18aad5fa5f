import { LRUCache } from 'lru-cache';
import type { Frame } from '../topics.ts';

/** The frames that one write has added to a topic's file. */
export interface WrittenFrames {
  readonly frames: readonly Frame[];
  /** Where in the file they end. */
  readonly end: number;
}

/** Limit for all topics together, in bytes. */
const MAX_BYTES = 4 * 1_048_576;

const bytesOf = (frames: readonly Frame[]): number => frames.reduce((sum, { data }) => sum + data.length, 0);

/** Frames that were just written, for a reader that follows their topic and would otherwise read them back from the file. */
export class FollowedFrames {
  readonly #written = new LRUCache<string, WrittenFrames>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ frames }) => 1 + bytesOf(frames),
  });

  /** `writer` names one opening of a topic. */
  add(writer: number, written: WrittenFrames): void {
    const [first] = written.frames;
    if (first) this.#written.set(`${writer}/${first.sequence}`, written);
  }

  /** The write that begins with this frame, for the first reader that asks; `undefined` for later ones, which read the file. */
  take(writer: number, first: number): WrittenFrames | undefined {
    const key = `${writer}/${first}`;
    const written = this.#written.peek(key);
    this.#written.delete(key);
    return written;
  }
}
