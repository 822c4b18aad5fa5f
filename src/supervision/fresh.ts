import type { Clock } from '../clock.ts';

/** Reads again when `milliseconds` have passed since the last reading began. Until then all callers share that reading. */
export const fresh = <T>(clock: Pick<Clock, 'monotonic'>, milliseconds: number, read: () => Promise<T>): (() => Promise<T>) => {
  let taken: { readonly at: number; readonly reading: Promise<T> } | null = null;
  return () => {
    const now = clock.monotonic();
    if (!taken || now - taken.at >= milliseconds) taken = { at: now, reading: read() };
    return taken.reading;
  };
};
