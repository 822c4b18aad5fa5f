import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import type { Documents, ReplacedDocument } from '../documents.ts';
import type { HeldLease } from './heldLease.ts';
import { LEASES, type LeaseRecord, leaseBody, leaseId } from './leaseRecord.ts';

export interface RenewalsDeps {
  readonly documents: Documents;
  readonly clock: Clock;
  readonly ttl: number;
  readonly logger: Logger;
}

/** A released lease, with a callback for when its release has been written. */
interface Released extends ReplacedDocument {
  readonly onWritten: () => void;
}

/** Renews all leases of a node, and marks released ones, with one request every third of a ttl. A hanging request does not delay the next one. */
export class Renewals {
  readonly #deps: RenewalsDeps;
  readonly #leases = new Set<HeldLease>();
  #released: Released[] = [];
  readonly #underWay = new Set<Promise<void>>();
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

  remove(lease: HeldLease): void {
    // Lost because writes fail: they count as failing until one succeeds.
    this.#failing ||= this.#areLate;
    this.#leases.delete(lease);
    if (this.#leases.size === 0 && this.#released.length === 0) this.#beating?.abort();
  }

  /** Writes the released record with the next renewal. */
  addReleased(record: LeaseRecord, onWritten: () => void): void {
    this.#released.push({ id: leaseId(record), body: leaseBody(record), onWritten });
    if (!this.#beating) void this.#beat();
  }

  /** Writes the released leases. Never rejects: other nodes can take over an unwritten one after the ttl. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.settled();
    if (this.#released.length > 0) await this.#renew();
    this.#beating?.abort();
  }

  /** Resolves when running renewals have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #beat(): Promise<void> {
    const beating = new AbortController();
    this.#beating = beating;
    while ((await this.#deps.clock.pause(this.#deps.ttl / 3, beating.signal)) === 'elapsed') {
      const renewing = this.#renew().finally(() => this.#underWay.delete(renewing));
      this.#underWay.add(renewing);
    }
    this.#beating = null;
    if (!this.#closed && (this.#leases.size > 0 || this.#released.length > 0)) void this.#beat();
  }

  async #renew(): Promise<void> {
    const { documents, clock, logger } = this.#deps;
    const began = clock.monotonic();
    const due = [...this.#leases].flatMap((lease) => {
      const record = lease.nextRenewal();
      return record ? [{ lease, id: leaseId(record), body: leaseBody(record) }] : [];
    });
    // A renewal under way must not overwrite it.
    const released = this.#underWay.size === 0 ? this.#released.splice(0) : [];
    try {
      const there = await documents.replaceMany(LEASES, [...due, ...released]);
      for (const { onWritten } of released) onWritten();
      if (this.#leases.size === 0 && this.#released.length === 0) this.#beating?.abort();
      for (const { lease, id } of due) lease.settle(there.has(id), began);
      this.#renewed = Math.max(this.#renewed, began);
      this.#failing = false;
    } catch (error) {
      this.#released.unshift(...released);
      if (!this.#failing) logger.warn({ leases: due.length, error: String(error) }, 'renewing leases failed; retrying');
      this.#failing = true;
    }
  }
}
