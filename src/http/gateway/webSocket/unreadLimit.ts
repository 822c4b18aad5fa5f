import type { Clock } from '../../../clock.ts';

const UNREAD_MILLISECONDS = 60_000;

export interface Unread {
  readonly clock: Clock;
  /** Aborts when the client has taken what was sent. */
  readonly taken: AbortSignal;
  /** When the client last sent something, by the monotonic clock. */
  readonly heardAt: () => number;
  readonly cutOff: () => void;
}

/** Cuts off a client that takes nothing for a minute. One that still sends may read later: it stays. */
export const cutOffWhenUnread = async ({ clock, taken, heardAt, cutOff }: Unread): Promise<void> => {
  while ((await clock.pause(UNREAD_MILLISECONDS, taken)) === 'elapsed')
    if (clock.monotonic() - heardAt() >= UNREAD_MILLISECONDS) return cutOff();
};
