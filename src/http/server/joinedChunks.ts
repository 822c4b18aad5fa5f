import type { IncomingMessage } from 'node:http';

/** Chunks of at least this size are not copied. */
const LARGE_CHUNK_BYTES = 4_096;
/** Node reads at most this much at once. */
const READ_BYTES = 65_536;

/**
 * Joins the small chunks of one read of a body with `Transfer-Encoding: chunked` into one piece. A read may hold 10,000 chunks of one byte, and each would
 * be a buffer of its own.
 *
 * It replaces `push` of Node's requests, which Node does not document. Its tests pass on Node 20, 22 and 24.
 */
export class JoinedChunks {
  readonly #block = Buffer.allocUnsafe(READ_BYTES);
  #bytes = 0;
  /** Passes on what the block holds. */
  #passOn: (() => void) | null = null;

  /** Call it before anything reads the body. */
  take(incoming: IncomingMessage): void {
    const push = incoming.push.bind(incoming);
    const passOn = (): void => {
      if (this.#passOn !== passOn) return;
      this.#passOn = null;
      // As Node does when a body has enough for now.
      if (!push(Buffer.from(this.#block.subarray(0, this.#bytes)))) incoming.socket.pause();
    };
    incoming.push = (chunk: Uint8Array | null) => {
      const isSmall = chunk !== null && chunk.length < LARGE_CHUNK_BYTES;
      if (!isSmall || this.#passOn !== passOn || this.#bytes + chunk.length > READ_BYTES) this.#passOn?.();
      if (!isSmall) return push(chunk);
      if (this.#passOn === null) {
        this.#passOn = passOn;
        this.#bytes = 0;
        // Runs before another connection is read.
        process.nextTick(passOn);
      }
      this.#block.set(chunk, this.#bytes);
      this.#bytes += chunk.length;
      return true;
    };
  }
}
