import type { Clock } from '../clock.ts';
import { OVER } from './aborted.ts';

/** The outcome of `work`, or `late` if it takes longer or the signal aborts. The work itself continues. Leaves no timer behind. */
export const within = async <T>(clock: Clock, milliseconds: number, work: Promise<T>, signal?: AbortSignal): Promise<T | 'late'> => {
  const over = new AbortController();
  const ends = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  try {
    return await Promise.race([work, clock.pause(milliseconds, ends).then(() => 'late' as const)]);
  } finally {
    over.abort(OVER);
  }
};
