import type { Position } from '../../stores/eventStore.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { ordinal } from '../../stores/log/logLength.ts';

/** Few, because a rebuild that is watched is measured often. */
const COUNTED_EVENTS = 20;

/** Share of the way from `start` to `head` before `position`, 0 to 1; `null` if unknown. An estimate, because positions may have gaps. */
const shareOf = (start: string | null, position: string | null, head: string | null): number | null => {
  const from = ordinal(start);
  const share = (ordinal(position) - from) / (ordinal(head) - from);
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : null;
};

/** Number of events after `position`, counted up to 20 and estimated beyond, and the age of the first one in seconds. */
export const lagOf = async (
  log: EventLog,
  position: Position | null,
  head: Position | null,
  now: number,
): Promise<{ lagEvents: number; lagSeconds: number }> => {
  if (head === null || (position !== null && position >= head)) return { lagEvents: 0, lagSeconds: 0 };
  const next = await log.readStored({ after: position, limit: COUNTED_EVENTS });
  const [first] = next;
  const last = next[COUNTED_EVENTS - 1];
  if (!first) return { lagEvents: 0, lagSeconds: 0 };
  // An event without a time is unreadable, so it does not count as waiting.
  const lagSeconds = Math.max(0, (now - Date.parse(String(first.metadata.time))) / 1_000 || 0);
  const share = last ? shareOf(position, last.position, head) : 1;
  return { lagEvents: share ? Math.round(next.length / share) : next.length, lagSeconds };
};
