import type { Clock } from '../../clock.ts';
import { supervise } from '../../supervision/supervise.ts';
import type { EventStore, Position } from '../eventStore.ts';

export interface ErasuresDeps {
  readonly store: Pick<EventStore, 'subscribe' | 'head'>;
  readonly clock: Clock;
  /** Drops all personal data that this process has cached. */
  readonly forget: () => void;
}

const TYPES = ['SubjectErased'];

/**
 * Clears a subject's data from this node's caches when any node erases it: cached events were decoded with keys that may be destroyed. Runs until
 * the signal aborts; never rejects.
 */
export const followErasures = async ({ store, clock, forget }: ErasuresDeps, signal: AbortSignal): Promise<void> => {
  let after: Position | null | undefined;
  // Other followers of the log report failures.
  await supervise(
    async (progressed) => {
      after ??= await store.head();
      for await (const item of store.subscribe({ after, filter: { types: TYPES }, signal })) {
        progressed();
        if (item.kind === 'event') forget();
        after = item.kind === 'event' ? item.event.position : (item.position ?? after);
      }
    },
    { clock, signal },
  );
};
