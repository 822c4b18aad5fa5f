import { type Progressed, type RetryOptions, retrying } from './retrying.ts';

export interface SupervisionOptions extends Pick<RetryOptions, 'clock' | 'onFailure'> {
  /** Ends the supervision. `work` has to end by itself. */
  readonly signal: AbortSignal;
}

class Returned extends Error {}

/**
 * Runs `work` until the signal aborts, and starts it again after a pause when it returns or fails. Never rejects. `onFailure` gets the first
 * failure of each streak; `work` ends a streak by calling `progressed`, or by returning.
 */
export const supervise = async (work: (progressed: Progressed) => Promise<void>, options: SupervisionOptions): Promise<void> => {
  const { signal, onFailure } = options;
  let returned = false;
  const run = async (progressed: Progressed): Promise<void> => {
    if (returned) progressed();
    returned = false;
    await work(progressed);
    returned = true;
    progressed();
    throw new Returned();
  };
  const report = (error: unknown): void => {
    if (!(error instanceof Returned)) onFailure?.(error);
  };
  await retrying(run, { ...options, onFailure: report }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
};
