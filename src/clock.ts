/** Time as the product sees it. Injected everywhere, so that tests own it: nothing else calls `Date.now` or `setTimeout`. */
export interface Clock {
  /** Wall time, milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a clock that never jumps; only differences mean anything. */
  monotonic(): number;
  /** Resolves after `milliseconds`; rejects with the signal's reason when it aborts first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, milliseconds);
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};

/** `2026-11-21T10:00:00.000Z`, the form of every time that the product writes. */
export const isoTime = (epochMilliseconds: number): string => new Date(epochMilliseconds).toISOString();
