import { Readable } from 'node:stream';
import type { WebSocket } from 'ws';

/** What waits here waits behind the frame that its reader gathers: one read of the socket is enough, of each of many clients. */
const BUFFERED_BYTES = 65_536;

/** The binary messages of a socket as a byte stream: a socket that sends faster than its stream is read is not read any more meanwhile. */
export class SocketDataSource {
  readonly readable: Readable;
  readonly #socket: WebSocket;
  #ended = false;
  #wake: (() => void) | null = null;

  /** `resume` reads the socket again. Default: at once. */
  constructor(socket: WebSocket, resume = () => socket.resume()) {
    this.#socket = socket;
    // A reader asks for more before it takes what is there: only afterwards is there room.
    const read = () =>
      queueMicrotask(() => {
        this.#wake?.();
        resume();
      });
    this.readable = new Readable({ highWaterMark: BUFFERED_BYTES, read });
    this.readable.once('close', () => this.#wake?.());
    // Whoever reads it is told of the error; without a reader yet, it must not end the process.
    this.readable.on('error', () => {});
  }

  /** Whether the socket waits for the stream to be read. */
  get isPaused(): boolean {
    return this.#socket.isPaused;
  }

  /** Whether as much waits as may wait. */
  get isFull(): boolean {
    return !this.readable.destroyed && this.readable.readableLength >= this.readable.readableHighWaterMark;
  }

  /** Resolves when more may be written, or when the stream is over. For one caller at a time. */
  async room(): Promise<void> {
    while (this.isFull)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
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
