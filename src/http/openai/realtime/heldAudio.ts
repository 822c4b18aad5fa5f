import { invalidField } from '../openAiErrors.ts';

const MAX_HELD_BYTES = 15 * 1024 * 1024;
const FIRST_BYTES = 65_536;

/** Audio that waits for its commit, in one block: many small pieces take no more memory than a large one. */
export class HeldAudio {
  #block = Buffer.alloc(0);
  #length = 0;

  /** Bytes that are held. */
  get length(): number {
    return this.#length;
  }

  /** Throws 400 when the buffer would hold more than 15 MiB. */
  add(audio: Buffer): void {
    const length = this.#length + audio.length;
    if (length > MAX_HELD_BYTES)
      throw invalidField('audio', `The buffer holds at most ${MAX_HELD_BYTES} bytes. Commit or clear it first.`, 'input_audio_buffer_full');
    if (length > this.#block.length) this.#grow(length);
    audio.copy(this.#block, this.#length);
    this.#length = length;
  }

  /** All that is held; afterwards nothing is. */
  take(): Buffer {
    const held = this.#block.subarray(0, this.#length);
    this.clear();
    return held;
  }

  clear(): void {
    this.#block = Buffer.alloc(0);
    this.#length = 0;
  }

  #grow(length: number): void {
    const block = Buffer.alloc(Math.min(MAX_HELD_BYTES, Math.max(FIRST_BYTES, length, this.#block.length * 2)));
    this.#block.copy(block, 0, 0, this.#length);
    this.#block = block;
  }
}
