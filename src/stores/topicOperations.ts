import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../json.ts';
import { type FrameBytes, lengthOf, MAX_FRAME_BYTES, type Manifest, TopicSealed } from './topics.ts';

interface Append<F extends FrameBytes> {
  readonly kind: 'append';
  readonly frames: readonly F[];
  readonly resolve: (sequence: number) => void;
  readonly reject: (error: unknown) => void;
}

interface Seal {
  readonly kind: 'seal';
  readonly attributes: JsonObject;
  readonly resolve: (manifest: Manifest) => void;
  readonly reject: (error: unknown) => void;
}

/** What is written in one go: appends, and the seal when it came right behind them. */
export interface Batch<F extends FrameBytes> {
  readonly appends: readonly Append<F>[];
  readonly seal: Seal | undefined;
}

/** Most of what one write takes, so that appends which came while the store was busy share the next one. */
const MAX_BATCH_BYTES = 4 * 1_048_576;

/**
 * Appends to a topic and its seal, in the order in which they came: one write at a time takes all that has come since the one before. Who performs a
 * batch answers each of its operations, or throws for all of them.
 */
export class TopicOperations<F extends FrameBytes> {
  readonly #ready: Promise<unknown>;
  readonly #perform: (batch: Batch<F>) => Promise<void>;
  #queue: (Append<F> | Seal)[] = [];
  #working: Promise<void> | null = null;

  /** Nothing is performed before `ready` has settled. */
  constructor(ready: Promise<unknown>, perform: (batch: Batch<F>) => Promise<void>) {
    this.#ready = ready;
    this.#perform = perform;
  }

  /** Resolves with the sequence of the last frame. Rejects with `RangeError` for one over 1 MiB. */
  append(frames: readonly F[]): Promise<number> {
    const large = frames.find((frame) => lengthOf(frame) > MAX_FRAME_BYTES);
    if (large) return Promise.reject(new RangeError(`a frame of ${lengthOf(large)} bytes; at most ${MAX_FRAME_BYTES}`));
    return new Promise((resolve, reject) => this.#enqueue({ kind: 'append', frames, resolve, reject }));
  }

  seal(attributes: JsonObject): Promise<Manifest> {
    return new Promise((resolve, reject) => this.#enqueue({ kind: 'seal', attributes, resolve, reject }));
  }

  /** Resolves when nothing is being performed and nothing waits. */
  async settled(): Promise<void> {
    await this.#working;
  }

  #enqueue(operation: Append<F> | Seal): void {
    this.#queue.push(operation);
    this.#working ??= this.#work();
  }

  async #work(): Promise<void> {
    await this.#ready.catch(() => undefined);
    // What is appended in the same turn, and the seal behind it, is one write.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) {
      const batch = this.#take();
      try {
        await this.#perform(batch);
      } catch (error) {
        for (const { reject } of batch.appends) reject(error);
        batch.seal?.reject(error);
      }
    }
    this.#working = null;
  }

  #take(): Batch<F> {
    const appends: Append<F>[] = [];
    let bytes = 0;
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      if (next.kind === 'seal') return { appends, seal: next };
      appends.push(next);
      bytes += bytesOf(next.frames);
      if (bytes >= MAX_BATCH_BYTES) break;
    }
    return { appends, seal: undefined };
  }
}

export const bytesOf = (frames: readonly FrameBytes[]): number => frames.reduce((bytes, frame) => bytes + lengthOf(frame), 0);

/** Tells each append the sequence of its last frame; `first`: that of the first frame of all. */
export const answerAppends = ({ appends }: Batch<FrameBytes>, first: number): void => {
  let sequence = first - 1;
  for (const { frames, resolve } of appends) {
    sequence += frames.length;
    resolve(sequence);
  }
};

/** Of a topic that is sealed: nothing can be appended, and sealing it again as it is has been done. */
export const answerSealed = ({ appends, seal }: Batch<FrameBytes>, topic: string, manifest: Manifest): void => {
  const sealed = new TopicSealed(topic);
  for (const { reject } of appends) reject(sealed);
  if (seal && isDeepStrictEqual(seal.attributes, manifest.attributes)) seal.resolve(manifest);
  else seal?.reject(sealed);
};
