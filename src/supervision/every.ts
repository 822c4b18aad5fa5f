import type { Clock } from '../clock.ts';

export interface EveryOptions {
  readonly clock: Clock;
  readonly milliseconds: number;
  readonly signal: AbortSignal;
  /** Default: the failure is ignored, since the next turn repeats the work. */
  readonly onFailure?: (error: unknown) => void;
}

/** Runs `work` after each interval until the signal aborts. Never rejects: a failure waits for the next turn. */
export const every = async (work: () => Promise<unknown>, { clock, milliseconds, signal, onFailure }: EveryOptions): Promise<void> => {
  while ((await clock.pause(milliseconds, signal)) === 'elapsed') {
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) onFailure?.(error);
    }
  }
};
