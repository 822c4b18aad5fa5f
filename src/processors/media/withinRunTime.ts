import type { Clock } from '../../clock.ts';
import { ProcessorError } from '../processor.ts';

/**
 * Runs `work` for at most `limit` milliseconds; after that aborts its signal and rejects with PROCESSOR_GENERAL_ERROR. Also aborts with the given
 * signal.
 */
export const withinRunTime = async <T>(
  { clock, signal, limit }: { readonly clock: Clock; readonly signal: AbortSignal; readonly limit: number },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const [over, done] = [new AbortController(), new AbortController()];
  void clock.pause(limit, done.signal).then((pause) => pause === 'elapsed' && over.abort(new Error('the run took too long')));
  try {
    return await work(AbortSignal.any([signal, over.signal]));
  } catch (error) {
    if (!over.signal.aborted || signal.aborted) throw error;
    const seconds = Math.round(limit / 1_000);
    throw new ProcessorError(
      'PROCESSOR_GENERAL_ERROR',
      `The run was ended after ${seconds} seconds, the most that its recording may take.`,
    ).because('TOO_LONG');
  } finally {
    done.abort();
  }
};
