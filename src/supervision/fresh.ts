import type { Clock } from '../clock.ts';

/** Callers share a reading until it has ended and `milliseconds` have passed since it began. */
export const fresh = <T>(clock: Pick<Clock, 'monotonic'>, milliseconds: number, read: () => Promise<T>): (() => Promise<T>) => {
  let taken: { readonly at: number; readonly reading: Promise<T> } | null = null;
  let running = false;
  const ended = (): void => {
    running = false;
  };
  return () => {
    const now = clock.monotonic();
    if (!taken || (!running && now - taken.at >= milliseconds)) {
      taken = { at: now, reading: read() };
      running = true;
      taken.reading.then(ended, ended);
    }
    return taken.reading;
  };
};
