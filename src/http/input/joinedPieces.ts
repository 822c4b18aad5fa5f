/** Pieces that are joined together. A piece of one byte takes a hundred times as much memory. */
const JOINED = 256;

/** Collects the pieces of a body. Joins small ones as they come, so that they take little more memory than their bytes. */
export class JoinedPieces {
  readonly #joined: Uint8Array[] = [];
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#pieces.length < JOINED) return;
    this.#joined.push(Buffer.concat(this.#pieces));
    this.#pieces = [];
  }

  /** All bytes, in one piece. */
  whole(): Buffer {
    return Buffer.concat([...this.#joined, ...this.#pieces], this.#bytes);
  }
}
