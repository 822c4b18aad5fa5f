import type { PendingDelivery } from '../domain/delivery/state.ts';
import type { Kind } from './queue/destination.ts';
import type { Job } from './queue/dispatcher.ts';
import type { Flight } from './queue/flight.ts';
import type { AttemptEnd } from './retryRules.ts';

/** Sends the deliveries of one user. All their jobs share it. */
export interface Sending {
  readonly owner: string;
  origin(pending: PendingDelivery): string | null;
  postponedTo(pending: PendingDelivery, now: number): number | null;
  attempt(pending: PendingDelivery, flight: Flight): Promise<AttemptEnd['endpoint']>;
}

/** A pending delivery in the queue. Small, because a user may have 50,000 of them. */
export class DeliveryJob implements Job {
  readonly dueAt: number;
  readonly #sending: Sending;
  readonly #pending: PendingDelivery;

  constructor(sending: Sending, pending: PendingDelivery, dueAt: number) {
    this.#sending = sending;
    this.#pending = pending;
    this.dueAt = dueAt;
  }

  get owner(): string {
    return this.#sending.owner;
  }

  get kind(): Kind {
    const { scheduling, tries, asked } = this.#pending;
    if (scheduling.once || asked) return 'asked';
    if (tries > 0) return 'retry';
    return scheduling.recovered ? 'recovered' : 'fresh';
  }

  get request(): string {
    return this.#pending.scheduling.causedAt;
  }

  origin(): string | null {
    return this.#sending.origin(this.#pending);
  }

  postponedTo(now: number): number | null {
    return this.#sending.postponedTo(this.#pending, now);
  }

  attempt(flight: Flight): Promise<AttemptEnd['endpoint']> {
    return this.#sending.attempt(this.#pending, flight);
  }
}
