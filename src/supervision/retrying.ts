import pRetry from 'p-retry';
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

/** p-retry gives up at a `TypeError` and at what is not an `Error`. Only `retryIf` decides here. */
class Failed extends Error {}

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
  const attempt = async (): Promise<T> => {
    signal?.throwIfAborted();
    return work(progressed).catch((error: unknown) => {
      throw new Failed('attempt failed', { cause: error });
    });
  };
  const shouldRetry = async ({ error }: { error: Error }): Promise<boolean> => {
    if (signal?.aborted || !retryIf(error.cause)) return false;
    if (failures === 0) onFailure?.(error.cause);
    failures += 1;
    return (await clock.pause(Math.max(backOff(failures), leastPause(error.cause)), signal)) === 'elapsed';
  };
  const again = async (error: Error): Promise<T> => {
    if (!(await shouldRetry({ error }))) throw error;
    // `shouldRetry` pauses, by the injected clock.
    return pRetry(attempt, { retries: Number.POSITIVE_INFINITY, minTimeout: 0, shouldRetry });
  };
  try {
    // Most work succeeds at once, and then needs no machinery.
    return await attempt().catch(again);
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof Failed ? error.cause : error;
  }
};
