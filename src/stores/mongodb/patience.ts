import type { Clock } from '../../clock.ts';
import { retrying } from '../../supervision/retrying.ts';
import { StoreUnavailable } from '../eventStore.ts';

/** Longer than a change of the primary, so that writers and followers of a topic do not notice it. */
const PATIENCE_MILLISECONDS = 15_000;

/** Repeats `attempt` while the store is away, for 15 s. It must be idempotent. */
export const patiently = <T>(clock: Clock, attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
  const deadline = clock.monotonic() + PATIENCE_MILLISECONDS;
  const retryIf = (error: unknown): boolean => error instanceof StoreUnavailable && clock.monotonic() <= deadline;
  return retrying(attempt, { clock, signal, retryIf });
};
