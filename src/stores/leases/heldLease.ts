import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import type { LeaseRecord } from './leaseRecord.ts';
import type { Lease } from './leases.ts';

/** What a lease needs from its node. */
export interface HoldingDeps {
  readonly clock: Clock;
  readonly ttl: number;
  readonly exclusive: boolean;
  readonly logger: Logger;
  /** Marks the record as released, after running renewals. Resolves with `false` if the record is missing. */
  writeReleased(record: LeaseRecord): Promise<boolean>;
  /** The same with the next renewal. */
  writeLater(record: LeaseRecord): void;
  /** Called when the lease is lost, and when its release has been written. `unknown`: the store does not know that its holder has stopped. */
  onOver(lease: HeldLease, outcome: 'over' | 'unknown'): void;
}

/**
 * A lease that is held. Modes: held, then released or lost, both with an aborted signal. It is lost when another node has taken it over, or when no
 * renewal has succeeded for a ttl. That time counts from before the last successful renewal began, so the holder stops before another node can have
 * seen the record unchanged for as long.
 */
export class HeldLease implements Lease {
  readonly #deps: HoldingDeps;
  readonly #over = new AbortController();
  #record: LeaseRecord;
  #renewed: number;
  #takenOver = false;
  #released: Promise<void> | null = null;

  constructor(record: LeaseRecord, since: number, deps: HoldingDeps) {
    this.#record = record;
    this.#renewed = since;
    this.#deps = deps;
    // Deferred until the creator holds it: it may already be lost.
    if (!deps.exclusive) queueMicrotask(() => this.#expire());
  }

  get name(): string {
    return this.#record.name;
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

  /** A renewal that began at `began` has succeeded, or found that a new holder removed the record. */
  settle(there: boolean, began: number): void {
    if (there) this.#renewed = Math.max(this.#renewed, began);
    else if (!this.signal.aborted) {
      this.#takenOver = true;
      this.#lose('was taken over');
    }
  }

  /** Call it when the covered work has stopped. Never rejects: after a failed write, other nodes can take over after the ttl. */
  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  /** Like `release`, but the next renewal writes it. */
  releaseLater(): void {
    if (this.#deps.exclusive || this.#released) return void this.release();
    this.#released = Promise.resolve();
    this.#stop();
    if (this.#takenOver) return;
    // Reported before it is written, so that this process may take the lease again meanwhile.
    this.#deps.onOver(this, 'unknown');
    this.#deps.writeLater({ ...this.#record, releasedAt: this.#deps.clock.now() });
  }

  #stop(): void {
    if (!this.signal.aborted) this.#over.abort(new Error(`lease ${this.name} was released`));
  }

  async #release(): Promise<void> {
    const { clock, logger, exclusive, writeReleased, onOver } = this.#deps;
    this.#stop();
    if (this.#takenOver) return;
    try {
      await writeReleased({ ...this.#record, releasedAt: clock.now() });
      onOver(this, 'over');
    } catch (error) {
      logger.warn({ lease: this.name, error: String(error) }, 'marking a lease as released failed');
      onOver(this, exclusive ? 'over' : 'unknown');
    }
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
    this.#deps.onOver(this, 'over');
  }
}
