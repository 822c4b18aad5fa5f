import type { Readable } from 'node:stream';
import type { Clock } from '../../clock.ts';
import { OVER } from '../../supervision/aborted.ts';

export interface GatherOptions {
  readonly clock: Clock;
  /** The part of the body that has already been read. */
  readonly head?: Uint8Array | undefined;
  readonly limitBytes: number;
  /** How long to wait for the rest after the first byte. */
  readonly milliseconds: number;
}

export interface Gathered {
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
  /** Whether it is the whole body. Otherwise the source is paused, or has failed, and reading continues from here. */
  readonly whole: boolean;
}

/**
 * Reads a small body completely. Stops early if the body is larger or its rest takes too long, because a live reader must not wait for it. Never
 * rejects: the next reader gets the source's error.
 */
export const gather = (source: Readable, options: GatherOptions): Promise<Gathered> =>
  new Promise((resolve) => {
    const { clock, head, limitBytes, milliseconds } = options;
    const pieces: Uint8Array[] = [];
    const over = new AbortController();
    let bytes = 0;
    const done = (): void => {
      source.off('data', take).off('end', done).off('close', done).off('error', done);
      source.on('error', ignore).pause();
      over.abort(OVER);
      resolve({ pieces, bytes, whole: source.readableEnded && bytes <= limitBytes });
    };
    const take = (piece: Uint8Array): void => {
      if (bytes === 0 && piece.length > 0) {
        void clock.pause(milliseconds, over.signal).then((pause) => {
          if (pause === 'elapsed') done();
        });
      }
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > limitBytes) done();
    };
    if (head && head.length > 0) take(head);
    if (over.signal.aborted) return;
    if (source.readableEnded || source.destroyed) return done();
    source.on('data', take).once('end', done).once('close', done).once('error', done).resume();
  });

// Errors after the body has been read do not matter; the next reader listens for its own.
const ignore = (): void => {};
