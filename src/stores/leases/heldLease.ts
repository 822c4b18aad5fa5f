import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import type { Documents } from '../documents.ts';
import { LEASES, type LeaseRecord, leaseBody, leaseId } from './leaseRecord.ts';
import type { Lease } from './leases.ts';

export interface HoldingDeps {
  readonly documents: Documents;
  readonly clock: Clock;
  readonly ttl: number;
  readonly exclusive: boolean;
  readonly logger: Logger;
}

/**
 * A lease that is held. Modes: held (renewed three times a ttl), then released or lost, both with an aborted signal. It is lost when a newer epoch
 * is there, or when no renewal has succeeded for a ttl: counted from before the last successful one began, so that the holder stops before
 * another can have seen the record unchanged for as long.
 */
export class HeldLease implements Lease {
  readonly #record: LeaseRecord;
  readonly #deps: HoldingDeps;
  readonly #over = new AbortController();
  readonly #onOver: () => void;
  #renewals = 0;
  #renewed: number;
  #renewing: Promise<void> = Promise.resolve();
  #released: Promise<void> | null = null;

  constructor(record: LeaseRecord, since: number, deps: HoldingDeps, onOver: () => void) {
    this.#record = record;
    this.#renewed = since;
    this.#deps = deps;
    this.#onOver = onOver;
    // Not before whoever made it holds it: it may be lost by now.
    if (!deps.exclusive) queueMicrotask(() => this.#keep());
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

  /** Never rejects: what could not be written falls to others after the ttl. */
  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  async #release(): Promise<void> {
    const lost = this.signal.aborted;
    if (!lost) this.#over.abort(new Error(`lease ${this.name} was released`));
    try {
      if (lost) return;
      // A renewal under way must not overwrite the release.
      await this.#renewing;
      await this.#write(this.#deps.clock.now());
    } catch (error) {
      this.#deps.logger.warn({ lease: this.name, error: String(error) }, 'marking a lease as released failed');
    } finally {
      this.#onOver();
    }
  }

  async #keep(): Promise<void> {
    const { clock, ttl, logger } = this.#deps;
    for (;;) {
      await clock.pause(Math.max(0, Math.min(ttl / 3, this.#left)), this.signal);
      if (this.signal.aborted) return;
      // A process that was paused wakes late: the record may still be there, but others may have acted on its silence.
      if (this.#left <= 0) return this.#lose('could not be renewed in time');
      this.#renewing = this.#renew().catch((error: unknown) =>
        logger.warn({ lease: this.name, error: String(error) }, 'renewing a lease failed; retrying'),
      );
      await this.#inTime(this.#renewing);
    }
  }

  /** Milliseconds for which nobody else can have seen the record unchanged for a ttl. */
  get #left(): number {
    return this.#renewed + this.#deps.ttl - this.#deps.clock.monotonic();
  }

  /** A renewal that hangs must not keep the holder working. */
  async #inTime(renewing: Promise<void>): Promise<void> {
    const done = new AbortController();
    const deadline = this.#deps.clock.pause(Math.max(0, this.#left), done.signal).then((pause) => {
      if (pause === 'elapsed') this.#lose('could not be renewed in time');
    });
    await Promise.race([renewing, deadline]);
    done.abort();
  }

  async #renew(): Promise<void> {
    const began = this.#deps.clock.monotonic();
    this.#renewals += 1;
    // Who takes it over removes this record. One that died before that has written nothing under its epoch.
    if (!(await this.#write(null))) this.#lose('was taken over');
    else this.#renewed = began;
  }

  #write(releasedAt: number | null): Promise<boolean> {
    const body = leaseBody({ ...this.#record, renewals: this.#renewals, releasedAt });
    return this.#deps.documents.replace(LEASES, leaseId(this.name, this.epoch), body);
  }

  #lose(why: string): void {
    if (this.signal.aborted) return;
    this.#deps.logger.warn({ lease: this.name, epoch: this.epoch }, `a lease ${why}`);
    this.#over.abort(new Error(`lease ${this.name} ${why}`));
    this.#onOver();
  }
}
