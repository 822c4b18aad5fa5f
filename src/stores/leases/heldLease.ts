import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import type { Documents } from '../documents.ts';
import { heldAs, LEASES, type LeaseRecord, leaseBody } from './leaseRecord.ts';
import type { Lease } from './leases.ts';

/** What a lease needs from its process. */
export interface HoldingDeps {
  readonly documents: Documents;
  readonly clock: Clock;
  readonly ttl: number;
  readonly logger: Logger;
  readonly onLost: (lease: HeldLease) => void;
  /** The covered work has stopped. With `later`, `free` is to be called with the next renewal; otherwise it has been. */
  readonly onReleased: (lease: HeldLease, later: boolean) => void;
}

/**
 * A lease that is held. Modes: held, then released or lost, both with an aborted signal. It is lost when another node has taken it over, or when no
 * renewal has succeeded for a ttl. That time counts from before the last successful renewal began, so the holder stops before another node can have
 * seen the record unchanged for as long.
 */
export class HeldLease implements Lease {
  readonly name: string;
  readonly #deps: HoldingDeps;
  readonly #over = new AbortController();
  #record: LeaseRecord;
  #renewed: number;
  #released: Promise<void> | null = null;

  constructor(name: string, record: LeaseRecord, since: number, deps: HoldingDeps) {
    this.name = name;
    this.#record = record;
    this.#renewed = since;
    this.#deps = deps;
    // Deferred until the creator holds it: it may already be lost.
    queueMicrotask(() => this.#expire());
  }

  get epoch(): number {
    return this.#record.epoch;
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** What the next renewal writes; `null` if the lease is over. A process that was paused for too long finds out here. */
  nextRenewal(): LeaseRecord | null {
    if (!this.signal.aborted && this.#left <= 0) this.#lose('could not be renewed in time');
    if (this.signal.aborted) return null;
    this.#record = { ...this.#record, renewals: this.#record.renewals + 1 };
    return this.#record;
  }

  /** A renewal that began at `began` has succeeded, or found that another process has taken the lease. */
  settle(isRenewed: boolean, began: number): void {
    if (isRenewed) this.#renewed = Math.max(this.#renewed, began);
    else this.#lose('was taken over');
  }

  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  releaseLater(): void {
    if (this.#released) return;
    this.#released = Promise.resolve();
    this.#stop();
    this.#deps.onReleased(this, true);
  }

  /** Frees the record, unless another process has taken the lease. May be repeated. */
  async free(): Promise<void> {
    const { documents } = this.#deps;
    const record = this.#record;
    if (record.brief) await documents.remove(LEASES, this.name, heldAs(record));
    else await documents.replace(LEASES, this.name, leaseBody({ ...record, owner: '' }), heldAs(record));
  }

  async #release(): Promise<void> {
    this.#stop();
    await this.free().catch((error: unknown) =>
      this.#deps.logger.warn({ lease: this.name, error: String(error) }, 'marking a lease as released failed'),
    );
    this.#deps.onReleased(this, false);
  }

  #stop(): void {
    if (!this.signal.aborted) this.#over.abort(new Error(`lease ${this.name} was released`));
  }

  async #expire(): Promise<void> {
    while (this.#left > 0) {
      await this.#deps.clock.pause(this.#left, this.signal);
      if (this.signal.aborted) return;
    }
    this.#lose('could not be renewed in time');
  }

  /** Milliseconds in which no other node can have seen the record unchanged for a ttl. */
  get #left(): number {
    return this.#renewed + this.#deps.ttl - this.#deps.clock.monotonic();
  }

  #lose(why: string): void {
    if (this.signal.aborted) return;
    this.#deps.logger.warn({ lease: this.name, epoch: this.epoch }, `a lease ${why}`);
    this.#over.abort(new Error(`lease ${this.name} ${why}`));
    this.#deps.onLost(this);
  }
}
