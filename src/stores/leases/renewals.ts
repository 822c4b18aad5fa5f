import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import type { Documents } from '../documents.ts';
import type { HeldLease } from './heldLease.ts';
import { heldAs, LEASES, leaseBody } from './leaseRecord.ts';

export interface RenewalsDeps {
  readonly documents: Documents;
  readonly clock: Clock;
  readonly ttl: number;
  readonly logger: Logger;
}

/** Renews all leases of a process with one request every third of a ttl, and frees those released meanwhile. A hanging request does not delay the next one. */
export class Renewals {
  readonly #deps: RenewalsDeps;
  readonly #leases = new Set<HeldLease>();
  readonly #released = new Set<HeldLease>();
  #beating: AbortController | null = null;
  /** Start of the last successful renewal. */
  #renewed: number;
  #failing = false;
  #closed = false;

  constructor(deps: RenewalsDeps) {
    this.#deps = deps;
    this.#renewed = deps.clock.monotonic();
  }

  /** Whether the store accepted the last writes: if not, it may have refused those of other nodes too. */
  get areAccepted(): boolean {
    return !this.#failing && !this.#areLate;
  }

  get #areLate(): boolean {
    return this.#leases.size > 0 && this.#deps.clock.monotonic() - this.#renewed > (2 * this.#deps.ttl) / 3;
  }

  /** Call it when the lease's record has just been written. */
  add(lease: HeldLease): void {
    if (this.#leases.size === 0 || this.#failing) this.#renewed = this.#deps.clock.monotonic();
    this.#failing = false;
    this.#leases.add(lease);
    if (!this.#beating) void this.#beat();
  }

  /** `free`: frees the lease with the next renewal. */
  remove(lease: HeldLease, free = false): void {
    // Lost because writes fail: they count as failing until one succeeds.
    this.#failing ||= this.#areLate;
    this.#leases.delete(lease);
    if (free) this.#released.add(lease);
    if (!this.#isNeeded) this.#beating?.abort();
    else if (!this.#beating) void this.#beat();
  }

  /** Frees what is still to be freed. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#beating?.abort();
    await this.#free().catch(() => undefined);
  }

  get #isNeeded(): boolean {
    return this.#leases.size > 0 || this.#released.size > 0;
  }

  async #beat(): Promise<void> {
    const beating = new AbortController();
    this.#beating = beating;
    while ((await this.#deps.clock.pause(this.#deps.ttl / 3, beating.signal)) === 'elapsed') void this.#renew();
    this.#beating = null;
    if (!this.#closed && this.#isNeeded) void this.#beat();
  }

  async #renew(): Promise<void> {
    const { documents, clock, logger } = this.#deps;
    const began = clock.monotonic();
    const due = [...this.#leases].flatMap((lease) => {
      const record = lease.nextRenewal();
      return record ? [{ lease, id: lease.name, body: leaseBody(record), where: heldAs(record) }] : [];
    });
    try {
      const [renewed] = await Promise.all([documents.replaceMany(LEASES, due), this.#free()]);
      for (const { lease, id } of due) lease.settle(renewed.has(id), began);
      this.#renewed = Math.max(this.#renewed, began);
      this.#failing = false;
      if (!this.#isNeeded) this.#beating?.abort();
    } catch (error) {
      if (!this.#failing && !this.#closed) logger.warn({ leases: due.length, error: String(error) }, 'renewing leases failed; retrying');
      this.#failing = true;
    }
  }

  async #free(): Promise<void> {
    const released = [...this.#released];
    await Promise.all(released.map((lease) => lease.free()));
    for (const lease of released) this.#released.delete(lease);
  }
}
