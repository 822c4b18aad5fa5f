import type { Clock } from '../clock.ts';

export interface RetryOptions {
  readonly clock: Clock;
  /** Ends the retries. */
  readonly signal?: AbortSignal | undefined;
  /** Which failures are worth another try. Default: all. */
  readonly retryIf?: (error: unknown) => boolean;
  /** Milliseconds that the pause after a failure lasts at least. Default: 0. */
  readonly leastPause?: (error: unknown) => number;
  /** Called once for each streak of failures: log it here. */
  readonly onFailure?: (error: unknown) => void;
}

/** Ends a streak: the next failure is reported, and the pause after it is short again. */
export type Progressed = () => void;

const FIRST_PAUSE_MILLISECONDS = 50;
const LONGEST_PAUSE_MILLISECONDS = 5_000;

/** Milliseconds to wait after this many consecutive failures: doubles from 50 ms to 5 s, with jitter so that nodes do not return together. */
export const backOff = (failures: number): number => {
  const longest = Math.min(LONGEST_PAUSE_MILLISECONDS, FIRST_PAUSE_MILLISECONDS * 2 ** (failures - 1));
  return longest * (0.5 + Math.random() / 2);
};

/**
 * Repeats `work` until it succeeds, with growing pauses (`backOff`). Rejects with the last failure if `retryIf` refuses it, and with the
 * signal's reason if that aborts.
 */
export const retrying = async <T>(work: (progressed: Progressed) => Promise<T>, options: RetryOptions): Promise<T> => {
  const { clock, signal, retryIf = () => true, leastPause = () => 0, onFailure } = options;
  let failures = 0;
  const progressed = () => {
    failures = 0;
  };
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await work(progressed);
    } catch (error) {
      signal?.throwIfAborted();
      if (!retryIf(error)) throw error;
      if (failures === 0) onFailure?.(error);
      failures += 1;
      await clock.pause(Math.max(backOff(failures), leastPause(error)), signal);
    }
  }
};
