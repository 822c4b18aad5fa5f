import { invalidField } from '../../errors/openAiErrors.ts';

const MAX_HELD_BYTES = 15 * 1024 * 1024;
const FIRST_BYTES = 65_536;

/** Counts what the audio takes. */
interface Memory {
  /** Throws if there is no room. */
  hold(bytes: number): void;
  give(bytes: number): void;
}

/** Audio that waits for its commit, in one block, so that many small pieces take no more memory than a large one. */
export class HeldAudio {
  readonly #memory: Memory;
  #block = Buffer.alloc(0);
  #length = 0;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** Bytes held. */
  get length(): number {
    return this.#length;
  }

  /** Throws 400 if the buffer would hold more than 15 MiB, or what `hold` throws. */
  add(audio: Buffer): void {
    const length = this.#length + audio.length;
    if (length > MAX_HELD_BYTES)
      throw invalidField('audio', `The buffer holds at most ${MAX_HELD_BYTES} bytes. Commit or clear it first.`, 'input_audio_buffer_full');
    if (length > this.#block.length) this.#grow(length);
    audio.copy(this.#block, this.#length);
    this.#length = length;
  }

  /** Returns everything and empties the buffer. */
  take(): Buffer {
    const held = this.#block.subarray(0, this.#length);
    this.clear();
    return held;
  }

  clear(): void {
    this.#memory.give(this.#block.length);
    this.#block = Buffer.alloc(0);
    this.#length = 0;
  }

  #grow(length: number): void {
    const size = Math.min(MAX_HELD_BYTES, Math.max(FIRST_BYTES, length, this.#block.length * 2));
    this.#memory.hold(size - this.#block.length);
    const block = Buffer.alloc(size);
    this.#block.copy(block, 0, 0, this.#length);
    this.#block = block;
  }
}
