/** Time as the product sees it. Injected everywhere, so that tests own it: nothing else calls `Date.now` or `setTimeout`. */
export interface Clock {
  /** Wall time, milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a clock that never jumps; only differences mean anything. */
  monotonic(): number;
  /** Resolves after `milliseconds`; rejects with the signal's reason when it aborts first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The longest that a timer of Node's takes, some 25 days: of anything longer it makes a millisecond. */
const LONGEST_TIMER = 2 ** 31 - 1;

const timer = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timeout);
      reject(signal?.reason);
    };
    const timeout = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', onAbort, { once: true });
  });

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (milliseconds, signal) =>
    milliseconds <= LONGEST_TIMER
      ? timer(milliseconds, signal)
      : timer(LONGEST_TIMER, signal).then(() => systemClock.sleep(milliseconds - LONGEST_TIMER, signal)),
};

/** `2026-11-21T10:00:00.000Z`, the form of every time that the product writes. */
export const isoTime = (epochMilliseconds: number): string => new Date(epochMilliseconds).toISOString();
