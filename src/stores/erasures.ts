import type { Clock } from '../clock.ts';
import { Backoff } from './backoff.ts';
import type { EventStore, Position } from './eventStore.ts';

export interface ErasuresDeps {
  readonly store: Pick<EventStore, 'subscribe' | 'head'>;
  readonly clock: Clock;
  /** Lets go of everything personal that this process remembers. */
  readonly forget: () => void;
}

const TYPES = ['SubjectErased'];

/**
 * Whoever is erased on any node is forgotten on this one too: what is remembered of the log was decoded with keys that may be gone. Runs until the
 * signal aborts; never rejects.
 */
export const followErasures = async ({ store, clock, forget }: ErasuresDeps, signal: AbortSignal): Promise<void> => {
  const backoff = new Backoff(clock);
  let after: Position | null | undefined;
  while (!signal.aborted) {
    try {
      after ??= await store.head();
      for await (const item of store.subscribe({ after, filter: { types: TYPES }, signal })) {
        backoff.reset();
        if (item.kind === 'event') forget();
        after = item.kind === 'event' ? item.event.position : (item.position ?? after);
      }
    } catch {
      // Said by all others that follow the log.
    }
    await backoff.pause(signal);
  }
};
