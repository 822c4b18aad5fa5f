import { setImmediate } from 'node:timers/promises';

/** Await it before each piece of work. Other work goes first from time to time. Rejects if the run was aborted meanwhile. */
export type Pace = () => Promise<void>;

/** Pieces, such as sentences, between two turns of the event loop. A text may have 100,000 of them. */
const PIECES = 50;

export const newPace = (signal: AbortSignal): Pace => {
  let pieces = 0;
  return async () => {
    pieces += 1;
    if (pieces % PIECES === 0) await setImmediate();
    signal.throwIfAborted();
  };
};
