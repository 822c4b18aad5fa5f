/** Sort key of a position, which grows with the log: its first run of digits. */
export const ordinal = (position: string | null): number => (position === null ? 0 : Number(/\d+/.exec(position)?.[0] ?? Number.NaN));

/** The length of the log, for progress. */
export interface LogLength {
  /** Events in all; `null` if the store's positions do not count events. */
  readonly total: number | null;
  /** Events up to a position; `null` like `total`. */
  eventsUpTo(position: string | null): number | null;
  /** 0 to 1. Where positions do not count events, by the bytes of the log. */
  share(position: string | null): number;
}

/** The length up to `through`, the log's head. */
export const logLength = (through: string | null, positionsHaveGaps: boolean): LogLength => {
  const end = ordinal(through);
  const counted = (position: string | null) => (positionsHaveGaps ? null : ordinal(position));
  return {
    total: counted(through),
    eventsUpTo: counted,
    share: (position) => (end === 0 ? 1 : Math.min(1, ordinal(position) / end)),
  };
};
