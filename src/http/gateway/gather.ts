import type { Readable } from 'node:stream';
import type { Clock } from '../../clock.ts';

export interface GatherOptions {
  readonly clock: Clock;
  /** What has been read of the body already. */
  readonly head?: Uint8Array | undefined;
  readonly limitBytes: number;
  /** How long to wait for the rest once the first byte is there. */
  readonly milliseconds: number;
}

export interface Gathered {
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
  /** It is all of the body. Otherwise the source is paused, or has failed, and goes on from here. */
  readonly whole: boolean;
}

/**
 * Reads a small body to its end. Stops early when the body is larger, or when its rest takes longer than a moment: a live reader must not wait for it. Never
 * rejects: whoever reads on meets what went wrong.
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
      over.abort(DONE);
      resolve({ pieces, bytes, whole: source.readableEnded && bytes <= limitBytes });
    };
    const take = (piece: Uint8Array): void => {
      if (bytes === 0 && piece.length > 0)
        void clock.pause(milliseconds, over.signal).then((pause) => {
          if (pause === 'elapsed') done();
        });
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > limitBytes) done();
    };
    if (head && head.length > 0) take(head);
    if (over.signal.aborted) return;
    if (source.readableEnded || source.destroyed) return done();
    source.on('data', take).once('end', done).once('close', done).once('error', done).resume();
  });

// A source that fails when its body has been read concerns nobody; whoever reads on listens for itself.
const ignore = (): void => {};

// Made once: an abort without a reason creates an exception with its stack each time.
const DONE = new Error('the body has been gathered');
