import type { JsonObject } from '../../json.ts';
import { bytesOf, type FrameBytes, lengthOf, MAX_FRAME_BYTES, type Manifest } from '../topics.ts';

interface Append {
  readonly kind: 'append';
  readonly frames: readonly FrameBytes[];
  readonly resolve: (sequence: number) => void;
  readonly reject: (error: unknown) => void;
}

interface Seal {
  readonly kind: 'seal';
  readonly attributes: JsonObject;
  readonly resolve: (manifest: Manifest) => void;
  readonly reject: (error: unknown) => void;
}

/** Operations of one write: appends, and the seal if it directly followed them. */
export interface Batch {
  readonly appends: readonly Append[];
  readonly seal: Seal | undefined;
}

/** Largest content of one write, so that appends made while the store is busy share the next one. */
const MAX_BATCH_BYTES = 4 * 1_048_576;

/**
 * Appends to a topic and its seal, in order: one write at a time takes all that came since the one before. The `perform` callback answers each
 * operation of a batch, or throws for all of them.
 */
export class TopicOperations {
  readonly #ready: Promise<unknown>;
  readonly #perform: (batch: Batch) => Promise<void>;
  #queue: (Append | Seal)[] = [];
  #working: Promise<void> | null = null;

  /** Nothing is performed before `ready` has settled. */
  constructor(ready: Promise<unknown>, perform: (batch: Batch) => Promise<void>) {
    this.#ready = ready;
    this.#perform = perform;
  }

  /** Resolves with the sequence of the last frame. Rejects with `RangeError` for one over 1 MiB. */
  append(frames: readonly FrameBytes[]): Promise<number> {
    const large = frames.find((frame) => lengthOf(frame) > MAX_FRAME_BYTES);
    if (large) return Promise.reject(new RangeError(`a frame of ${lengthOf(large)} bytes; at most ${MAX_FRAME_BYTES}`));
    return new Promise((resolve, reject) => this.#enqueue({ kind: 'append', frames, resolve, reject }));
  }

  seal(attributes: JsonObject): Promise<Manifest> {
    return new Promise((resolve, reject) => this.#enqueue({ kind: 'seal', attributes, resolve, reject }));
  }

  /** Resolves when nothing is running and nothing waits. */
  async settled(): Promise<void> {
    await this.#working;
  }

  #enqueue(operation: Append | Seal): void {
    this.#queue.push(operation);
    this.#working ??= this.#work();
  }

  async #work(): Promise<void> {
    await this.#ready.catch(() => undefined);
    // Appends of one turn, and the seal after them, share one write.
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

  #take(): Batch {
    const appends: Append[] = [];
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

/** Resolves each append with the sequence of its last frame; `first` is the sequence of the first frame. */
export const answerAppends = ({ appends }: Batch, first: number): void => {
  let sequence = first - 1;
  for (const { frames, resolve } of appends) {
    sequence += frames.length;
    resolve(sequence);
  }
};
