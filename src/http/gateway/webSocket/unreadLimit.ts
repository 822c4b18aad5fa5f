import type { Clock } from '../../../clock.ts';

const UNREAD_MILLISECONDS = 60_000;

export interface Unread {
  readonly clock: Clock;
  /** Aborts when the client has read everything sent. */
  readonly taken: AbortSignal;
  /** When the client last sent something, by the monotonic clock. */
  readonly heardAt: () => number;
  readonly cutOff: () => void;
}

/** Cuts off a client that reads nothing for a minute, unless it still sends: such a client may read later. */
export const cutOffWhenUnread = async ({ clock, taken, heardAt, cutOff }: Unread): Promise<void> => {
  while ((await clock.pause(UNREAD_MILLISECONDS, taken)) === 'elapsed')
    if (clock.monotonic() - heardAt() >= UNREAD_MILLISECONDS) return cutOff();
};
