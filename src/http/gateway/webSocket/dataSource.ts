import { Readable } from 'node:stream';
import type { WebSocket } from 'ws';

/** What waits here waits behind the frame that its reader gathers: one read of the socket is enough, of each of many clients. */
const BUFFERED_BYTES = 65_536;

/** The binary messages of a socket as a byte stream: a socket that sends faster than its stream is read is not read any more meanwhile. */
export class SocketDataSource {
  readonly readable: Readable;
  readonly #socket: WebSocket;
  #ended = false;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.readable = new Readable({ highWaterMark: BUFFERED_BYTES, read: () => socket.resume() });
    // Whoever reads it is told of the error; without a reader yet, it must not end the process.
    this.readable.on('error', () => {});
  }

  /** Whether the socket waits for the stream to be read. */
  get isPaused(): boolean {
    return this.#socket.isPaused;
  }

  write(data: Uint8Array): void {
    if (!this.#ended && !this.readable.push(data)) this.#socket.pause();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.readable.push(null);
  }

  /** What has come so far is not the whole. */
  fail(error: Error): void {
    this.#ended = true;
    this.readable.destroy(error);
  }
}
