import type { Clock } from '../../clock.ts';
import { Backoff } from '../backoff.ts';
import { StoreUnavailable } from '../eventStore.ts';

/** A change of the primary takes some seconds; who writes or follows a topic need not notice. */
const PATIENCE_MILLISECONDS = 15_000;

const NEVER = new AbortController().signal;

/** Repeats `attempt` while the store is away, for a while. It must be one that may be repeated. */
export const patiently = async <T>(clock: Clock, attempt: () => Promise<T>, signal: AbortSignal = NEVER): Promise<T> => {
  const backoff = new Backoff(clock);
  const deadline = clock.monotonic() + PATIENCE_MILLISECONDS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || clock.monotonic() > deadline) throw error;
      await backoff.pause(signal);
      signal.throwIfAborted();
    }
  }
};
