/** Sort key of a position, which grows with the log: its first run of digits. */
const ordinal = (position: string | null): number => (position === null ? 0 : Number(/\d+/.exec(position)?.[0] ?? Number.NaN));

/**
 * Share of the way from `start` to `head` before `position`, 0 to 1; `null` if there is no way. An estimate, because positions may have gaps: those of
 * EventStoreDB count bytes.
 */
export const shareOf = (start: string | null, position: string | null, head: string | null): number | null => {
  const from = ordinal(start);
  const share = (ordinal(position) - from) / (ordinal(head) - from);
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : null;
};
