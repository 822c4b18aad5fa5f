import type { PendingDelivery } from '../../domain/delivery/state.ts';
import type { AttemptEnd } from '../retryRules.ts';
import type { Flight } from './flight.ts';

/** A pending delivery in the queue. Small, because a user may have 50,000 of them. */
export interface Job {
  readonly sending: Sending;
  readonly pending: PendingDelivery;
  /** Milliseconds since the epoch. */
  readonly dueAt: number;
}

/** Sends the deliveries of one user. All their jobs share it. */
export interface Sending {
  readonly owner: string;
  /** Where it goes now (scheme, host, port); `null` if it must not be sent any more. */
  origin(pending: PendingDelivery): string | null;
  /** The end of the pause that its endpoint asked for; `null` if it may go at `now`. Milliseconds since the epoch. */
  postponedTo(pending: PendingDelivery, now: number): number | null;
  /** Makes one attempt. Returns what it says about the receiver; `untested` says nothing about its origin. Never rejects. */
  attempt(pending: PendingDelivery, flight: Flight): Promise<AttemptEnd['endpoint']>;
}

/**
 * In the order in which a destination sends them: what a person has asked for (a test, a resend), a new event, an event that a person recovers, a retry.
 */
export const KINDS = ['asked', 'fresh', 'recovered', 'retry'] as const;
export type Kind = (typeof KINDS)[number];

export const kindOf = ({ pending: { scheduling, tries, asked } }: Job): Kind => {
  if (scheduling.once || asked) return 'asked';
  if (tries > 0) return 'retry';
  return scheduling.recovered ? 'recovered' : 'fresh';
};
