import type { LogLength } from '../../stores/log/logLength.ts';

/** How far a read model was at a time of the monotonic clock. */
export interface Reached {
  readonly position: string | null;
  readonly at: number;
}

export interface Pace {
  /** Share of the log read, 0 to 1. */
  readonly share: number;
  /** Events read, of every type, and their pace; `null` if the store does not count them. */
  readonly read: { readonly events: number; readonly perSecond: number } | null;
  /** An estimate; `null` without progress. */
  readonly secondsLeft: number | null;
}

/** The pace between two looks at a read model that is being built. */
export const paceOf = (length: LogLength, from: Reached, to: Reached): Pace => {
  const seconds = Math.max(0.001, (to.at - from.at) / 1_000);
  const share = length.share(to.position);
  const gained = share - length.share(from.position);
  const [before, events] = [length.eventsUpTo(from.position), length.eventsUpTo(to.position)];
  return {
    share,
    read: before === null || events === null ? null : { events, perSecond: (events - before) / seconds },
    secondsLeft: gained > 0 ? ((1 - share) / gained) * seconds : null,
  };
};
