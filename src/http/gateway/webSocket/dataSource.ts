import { Readable } from 'node:stream';
import type { RawData, WebSocket } from 'ws';

/** Data waits here behind the frame that its reader collects, so one read of each client's socket is enough. */
const BUFFERED_BYTES = 65_536;

/** The binary messages of a socket as a byte stream: if they arrive faster than the stream is read, the socket is paused. */
export class SocketDataSource {
  readonly readable: Readable;
  readonly #socket: WebSocket;
  #ended = false;
  #wake: (() => void) | null = null;

  /** `resume` reads the socket again. Default: at once. */
  constructor(socket: WebSocket, resume = () => socket.resume()) {
    this.#socket = socket;
    // A reader asks for more before it takes the waiting data, so there is room only afterwards.
    const read = () =>
      queueMicrotask(() => {
        this.#wake?.();
        resume();
      });
    this.readable = new Readable({ highWaterMark: BUFFERED_BYTES, read });
    this.readable.once('close', () => this.#wake?.());
    // The reader gets the error; without a reader, it must not end the process.
    this.readable.on('error', () => {});
  }

  /** Whether the socket waits for the stream to be read. */
  get isPaused(): boolean {
    return this.#socket.isPaused;
  }

  /** Whether the buffer is full. */
  get isFull(): boolean {
    return !this.readable.destroyed && this.readable.readableLength >= this.readable.readableHighWaterMark;
  }

  /** Resolves when there is room, or when the stream is over. For one caller at a time. */
  async room(): Promise<void> {
    while (this.isFull)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }

  /** Resolves when the reader takes more: at once, unless it or its user holds as much unstored data as it may. Also when the stream is over. */
  stored(): Promise<void> {
    const { readable } = this;
    if (!readable.isPaused() || readable.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        readable.off('resume', done).off('close', done);
        resolve();
      };
      readable.on('resume', done).on('close', done);
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

  /** The data so far are incomplete. */
  fail(error: Error): void {
    this.#ended = true;
    this.readable.destroy(error);
  }
}

/** The bytes of a message in any form that `ws` gives it. */
export const bytesOf = (data: RawData): Uint8Array => {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
};
