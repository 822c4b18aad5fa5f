import type { PendingDelivery } from '../domain/delivery/pendingDeliveries.ts';
import type { Flight, Job } from './dispatcher.ts';

/** What a job asks of the user whose it is. */
export interface JobOwner {
  readonly subject: string;
  /** The URL that the delivery goes to now; `null` when it need not go any more. */
  urlOf(pending: PendingDelivery): string | null;
  /** When its endpoint wants to hear again; `null` for at once. */
  restingUntil(endpointId: string): number | null;
  attempt(pending: PendingDelivery, flight: Flight): Promise<boolean | null>;
}

/** One pending delivery on its way through the dispatcher. */
export class DeliveryJob implements Job {
  readonly #owner: JobOwner;
  readonly #pending: PendingDelivery;
  readonly dueAt: number;

  constructor(owner: JobOwner, pending: PendingDelivery, dueAt: number = pending.nextAt) {
    this.#owner = owner;
    this.#pending = pending;
    this.dueAt = dueAt;
  }

  get subject(): string {
    return this.#owner.subject;
  }

  get retry(): boolean {
    return this.#pending.tries > 0;
  }

  origin(): string | null {
    const url = this.#owner.urlOf(this.#pending);
    return url === null ? null : new URL(url).origin;
  }

  postponedTo(now: number): number | null {
    // What a person asks for is sent when it is asked for.
    if (this.#pending.batch.once) return null;
    const until = this.#owner.restingUntil(this.#pending.delivery.endpointId);
    if (until === null || until <= now) return null;
    // Never beyond its deadline; after that it has waited long enough.
    const to = Math.min(until, this.#pending.batch.deadline);
    return to > now ? to : null;
  }

  attempt(flight: Flight): Promise<boolean | null> {
    return this.#owner.attempt(this.#pending, flight);
  }
}
