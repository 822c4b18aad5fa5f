import type { Readable } from 'node:stream';
import { MAX_FRAME_BYTES } from './topics.ts';

/** Tiny pieces, such as chunks of one byte, are joined: each piece costs as much as a large one. */
const MOST_PIECES = 256;
/** Most pieces that wait for a write. */
const MOST_GATHERED = 4_096;

/** The body ended too early, usually because its client left. The message is for the stream's owner. */
export class BrokenOff extends Error {
  constructor(reason = 'The client closed the connection before the upload was complete.', options: ErrorOptions = {}) {
    super(reason, options);
    this.name = 'BrokenOff';
  }
}

/** Why a body broke off, from the error that destroyed its stream: the client, unless the server says otherwise. */
export const brokenOffBy = (error: unknown): BrokenOff => (error instanceof BrokenOff ? error : new BrokenOff());

export interface PumpOptions {
  /** Writes one frame of 1 byte to 1 MiB, in the pieces that have arrived; the next frame follows when it has resolved. */
  readonly write: (frame: readonly Uint8Array[], isLast: boolean) => Promise<void>;
  /** Awaited at the first byte, before any `write`: bytes that arrive meanwhile join the first frame. */
  readonly open: () => Promise<void>;
  readonly limitBytes: number;
  /** The error of a body above the limit. */
  readonly tooLarge: (limitBytes: number) => Error;
  /** Stops the pump with the signal's reason. */
  readonly signal: AbortSignal;
  /** The part of the body that has already been read. */
  readonly head?: Uint8Array;
}

/**
 * Moves a body into frames until its end, then resolves with its size. Bytes that arrive during a write are collected into the next frame, up to 1
 * MiB; then the source waits. Rejects with `BrokenOff`, `tooLarge`, the signal's reason, or the error of `write` or the source, which is
 * then paused, not destroyed.
 */
export const pump = (source: Readable, options: PumpOptions): Promise<number> =>
  new Promise((resolve, reject) => new Pump(source, options, resolve, reject).start());

class Pump {
  readonly #source: Readable;
  readonly #options: PumpOptions;
  readonly #resolve: (bytes: number) => void;
  readonly #reject: (error: unknown) => void;
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  #bytes = 0;
  #writing = false;
  #opened = false;
  #ended = false;
  #settled = false;

  constructor(source: Readable, options: PumpOptions, resolve: (bytes: number) => void, reject: (error: unknown) => void) {
    this.#source = source;
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    const { head, signal } = this.#options;
    signal.addEventListener('abort', this.#onAbort);
    this.#source.on('data', this.#take).on('end', this.#onEnd).on('error', this.#onError).on('close', this.#onClose);
    if (head && head.length > 0) this.#take(head);
    if (signal.aborted) this.#onAbort();
    else if (this.#source.readableEnded) this.#onEnd();
    else if (this.#source.errored) this.#onError(this.#source.errored);
    else if (this.#source.destroyed) this.#onClose();
    else if (!this.#settled) this.#source.resume();
  }

  readonly #onAbort = (): void => this.#fail(this.#options.signal.reason);
  readonly #onError = (error: NodeJS.ErrnoException): void =>
    this.#fail(error.code === 'ECONNRESET' ? new BrokenOff(undefined, { cause: error }) : error);
  readonly #onClose = (): void => {
    if (!this.#ended) this.#fail(brokenOffBy(this.#source.errored));
  };

  readonly #onEnd = (): void => {
    this.#ended = true;
    if (!this.#writing) this.#finish();
  };

  readonly #take = (chunk: Uint8Array): void => {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#options.limitBytes) {
      this.#fail(this.#options.tooLarge(this.#options.limitBytes));
      return;
    }
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
    if (!this.#writing) void this.#drain();
    if (this.#gatheredBytes >= MAX_FRAME_BYTES || this.#gathered.length >= MOST_GATHERED) this.#source.pause();
  };

  async #drain(): Promise<void> {
    this.#writing = true;
    try {
      while (this.#gatheredBytes > 0 && !this.#settled) {
        if (!this.#opened) await this.#options.open();
        this.#opened = true;
        if (this.#settled) break;
        const frame = this.#nextFrame();
        this.#resume();
        await this.#options.write(frame, this.#ended && this.#gatheredBytes === 0);
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#writing = false;
    if (this.#ended) this.#finish();
  }

  #resume(): void {
    if (!this.#settled && this.#source.isPaused() && this.#gatheredBytes < MAX_FRAME_BYTES) this.#source.resume();
  }

  #nextFrame(): Uint8Array[] {
    const frame: Uint8Array[] = [];
    let room = MAX_FRAME_BYTES;
    let whole = 0;
    for (const piece of this.#gathered) {
      if (room === 0) break;
      const part = piece.subarray(0, room);
      frame.push(part);
      room -= part.length;
      if (part.length === piece.length) whole += 1;
      else this.#gathered[whole] = piece.subarray(part.length);
    }
    this.#gathered.splice(0, whole);
    this.#gatheredBytes -= MAX_FRAME_BYTES - room;
    return frame.length > MOST_PIECES ? [Buffer.concat(frame)] : frame;
  }

  #finish(): void {
    if (this.#settle()) this.#resolve(this.#bytes);
  }

  readonly #fail = (error: unknown): void => {
    if (!this.#settle()) return;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#source.pause();
    this.#reject(error);
  };

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    this.#source.off('data', this.#take).off('end', this.#onEnd).off('close', this.#onClose);
    this.#source.off('error', this.#onError).on('error', ignore);
    return true;
  }
}

// An error of the source after its pump has ended is ignored.
const ignore = (): void => {};
