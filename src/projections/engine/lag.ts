import type { EventLog } from '../../stores/eventLog.ts';
import type { Position } from '../../stores/eventStore.ts';
import { PAGE_EVENTS } from './feed.ts';

const COUNTED_EVENTS = 10_000;

/** Where a position lies, as a number that grows with the log: its first run of digits. Only for estimates. */
const ordinal = (position: string): number => Number(/\d+/.exec(position)?.[0] ?? Number.NaN);

/** Share of the way from `start` to `head` that lies behind `position`, 0 to 1; `null` when the positions do not tell. */
export const shareOf = (start: string | null, position: string | null, head: string | null): number | null => {
  const from = start === null ? 0 : ordinal(start);
  const share = (ordinal(position ?? '') - from) / (ordinal(head ?? '') - from);
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : null;
};

/** Events after `position`, counted up to 10,000 and estimated beyond; and the age in seconds of the first of them. */
export const lagOf = async (
  log: EventLog,
  position: Position | null,
  head: Position | null,
  now: number,
): Promise<{ lagEvents: number; lagSeconds: number }> => {
  if (head === null || (position !== null && position >= head)) return { lagEvents: 0, lagSeconds: 0 };
  const [next] = await log.readStored({ after: position, limit: 1 });
  if (!next) return { lagEvents: 0, lagSeconds: 0 };
  // One that has no time cannot be read, and is not waited for.
  const lagSeconds = Math.max(0, (now - Date.parse(String(next.metadata.time))) / 1_000 || 0);
  let counted = 0;
  let after = position;
  while (counted < COUNTED_EVENTS) {
    const page = await log.readStored({ after, limit: PAGE_EVENTS });
    counted += page.length;
    after = page.at(-1)?.position ?? after;
    if (page.length < PAGE_EVENTS) return { lagEvents: counted, lagSeconds };
  }
  const share = shareOf(position, after, head);
  return { lagEvents: share ? Math.round(counted / share) : counted, lagSeconds };
};
