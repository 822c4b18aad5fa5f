import { DamagedEventStream, type ReadStreamOptions, type StoredEvent } from '../eventStore.ts';
import { mayExpire } from '../integrity/seals.ts';

/**
 * The events, if they match the read: without gaps, and from the requested revision. Throws `DamagedEventStream` otherwise, because a decision on a
 * history with missing events would be wrong. Deliveries may start late, since they expire.
 */
export const checkedWhole = (
  eventStream: string,
  events: readonly StoredEvent[],
  options: ReadStreamOptions = {},
): readonly StoredEvent[] => {
  const { from, direction = 'forwards' } = options;
  const forwards = direction === 'forwards';
  let due = from ?? (forwards ? 0n : null);
  for (const [n, { revision }] of events.entries()) {
    const isLate = n === 0 && (!forwards || mayExpire(eventStream));
    if (due !== null && revision !== due && !isLate) throw new DamagedEventStream(eventStream, missing(due, forwards ? revision : due));
    due = forwards ? revision + 1n : revision - 1n;
  }
  return events;
};

const missing = (due: bigint, found: bigint): string =>
  due === 0n ? `it begins at revision ${found}; earlier events are hidden or missing` : `revision ${due} is hidden or missing`;
