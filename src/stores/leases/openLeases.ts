import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { Notifier } from '../../supervision/notifier.ts';
import type { Documents } from '../documents.ts';
import { StoreUnavailable } from '../eventStore.ts';
import { HeldLease, type HoldingDeps } from './heldLease.ts';
import { LEASES, type LeaseRecord, leaseBody, leaseId } from './leaseRecord.ts';
import { LeaseRecords } from './leaseRecords.ts';
import type { Lease, Leases } from './leases.ts';
import { Renewals } from './renewals.ts';
import { Silences } from './silences.ts';

export interface LeasesDeps {
  readonly documents: Documents;
  readonly clock: Clock;
  /** Name of this node for people, shown by `list`. */
  readonly holder: string;
  /** How long a lease must be unchanged before another node takes it over. */
  readonly ttlMilliseconds?: number;
  /** No other process uses the store (proved by the lock on the data directory): leases of others are free, and nothing is renewed. */
  readonly exclusive: boolean;
  readonly logger: Logger;
}

/** Minimum time that a lease without a holder is kept. */
const KEEP_MILLISECONDS = 600_000;

export const openLeases = async (deps: LeasesDeps): Promise<Leases> => {
  const records = new LeaseRecords(deps.documents, deps.clock);
  await records.open(deps.clock.now());
  const leases = new DocumentLeases(deps, records);
  await leases.sweep();
  return leases;
};

class DocumentLeases implements Leases {
  readonly #deps: LeasesDeps;
  readonly #ttl: number;
  readonly #records: LeaseRecords;
  readonly #renewals: Renewals;
  readonly #holding: HoldingDeps;
  readonly #held = new Map<string, HeldLease>();
  readonly #trying = new Set<string>();
  /** Leases of other nodes, with the time since which each is unchanged. */
  readonly #seen = new Map<string, { readonly epoch: number; readonly renewals: number; readonly since: number; at: number }>();
  readonly #silences: Silences;
  /** Epochs lost here without the store knowing: their work has stopped, so this process may take them. */
  readonly #abandoned = new Map<string, number>();
  readonly #free = new Notifier();
  #timing = false;
  readonly #closing = new AbortController();
  #swept = 0;
  /** Leases held at the last sweep, by id, with their renewal counts. */
  #standing: ReadonlyMap<string, number> = new Map();

  constructor(deps: LeasesDeps, records: LeaseRecords) {
    const { documents, clock, exclusive, logger } = deps;
    const ttl = deps.ttlMilliseconds ?? 10_000;
    this.#deps = deps;
    this.#ttl = ttl;
    this.#records = records;
    this.#renewals = new Renewals({ documents, clock, ttl, logger });
    this.#silences = new Silences(clock, ttl / 2);
    this.#holding = {
      clock,
      ttl,
      exclusive,
      logger,
      writeReleased: async (record) => {
        // A running renewal must not overwrite it.
        await this.#renewals.settled();
        return documents.replace(LEASES, leaseId(record), leaseBody(record));
      },
      writeLater: (record) =>
        this.#renewals.addReleased(record, () => {
          if (this.#abandoned.get(record.name) === record.epoch) this.#abandoned.delete(record.name);
        }),
      onOver: (lease, outcome) => {
        this.#renewals.remove(lease);
        if (this.#held.get(lease.name) === lease) this.#held.delete(lease.name);
        if (outcome === 'unknown') this.#abandoned.set(lease.name, lease.epoch);
        this.#free.notify();
      },
    };
  }

  async tryAcquire(name: string, expectNew = false): Promise<Lease | null> {
    this.#closing.signal.throwIfAborted();
    if (this.#held.has(name) || this.#trying.has(name)) return null;
    this.#trying.add(name);
    try {
      return await this.#try(name, expectNew);
    } finally {
      this.#trying.delete(name);
    }
  }

  async acquire(name: string, signal: AbortSignal): Promise<Lease> {
    for (;;) {
      signal.throwIfAborted();
      const lease = await this.tryAcquire(name).catch((error: unknown) => {
        if (!(error instanceof StoreUnavailable)) throw error;
        this.#deps.logger.warn({ lease: name, error: error.message }, 'acquiring a lease failed; retrying');
        return null;
      });
      if (lease && signal.aborted) await lease.release();
      else if (lease) return lease;
      else await this.#nextTry(signal);
    }
  }

  async isFree(name: string): Promise<boolean> {
    if (this.#held.has(name)) return false;
    const silent = await this.#silences.look(name, async () => {
      const asked = this.#deps.clock.monotonic();
      const { latest } = await this.#records.of(name);
      if (!latest || latest.releasedAt !== null || this.#deps.exclusive) return null;
      // Starts the time after which `tryAcquire` may take it over. Failures of the store count for that: by then its holder has stopped.
      this.#mayTakeOver(latest, asked);
      if (!this.#renewals.areAccepted) this.#silences.clear();
      return `${latest.epoch}/${latest.renewals}`;
    });
    return silent === null || silent >= this.#ttl;
  }

  async list(): Promise<{ name: string; epoch: number; holder: string }[]> {
    const found: { name: string; epoch: number; holder: string }[] = [];
    for await (const page of this.#records.all(false)) found.push(...page.map(({ name, epoch, holder }) => ({ name, epoch, holder })));
    return found;
  }

  held(): readonly string[] {
    return [...this.#held.keys()];
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the leases are closed'));
    // Those that wait try again, and are refused.
    this.#free.notify();
    await Promise.all([...this.#held.values()].map((lease) => lease.release()));
    await this.#renewals.close();
  }

  /** Removes leases that were released long ago or whose holder died long ago: each run of a processor has its own lease. */
  async sweep(): Promise<void> {
    const { clock, exclusive } = this.#deps;
    this.#swept = clock.monotonic();
    const old = clock.now() - KEEP_MILLISECONDS;
    const ended: LeaseRecord[] = [];
    for await (const page of this.#records.all(true))
      ended.push(...page.filter(({ releasedAt }) => (releasedAt ?? Number.POSITIVE_INFINITY) < old));
    await this.#records.removeLast(ended);
    if (!exclusive) await this.#sweepForsaken();
  }

  /** Removes a dead node's or run's lease, which may never be requested again, if it is unchanged from one sweep to the next. */
  async #sweepForsaken(): Promise<void> {
    const standing: LeaseRecord[] = [];
    for await (const page of this.#records.all(false)) standing.push(...page);
    const forsaken = standing.filter((record) => this.#standing.get(leaseId(record)) === record.renewals);
    this.#standing = new Map(standing.map((record) => [leaseId(record), record.renewals]));
    await this.#records.removeLast(forsaken);
  }

  async #try(name: string, expectNew: boolean): Promise<Lease | null> {
    this.#sweepSometimes();
    const { clock, holder, exclusive } = this.#deps;
    const asked = clock.monotonic();
    // If the name has a record after all, `#stands` finds it.
    const unseen = { latest: null, floor: this.#records.floor };
    const { latest, floor } = expectNew && unseen.floor > 0 ? unseen : await this.#records.of(name);
    if (latest && !this.#mayTakeOver(latest, asked)) return null;
    const record: LeaseRecord = { name, epoch: Math.max(latest?.epoch ?? 0, floor) + 1, holder, renewals: 0, releasedAt: null };
    const since = clock.monotonic();
    if (!(await this.#records.create(record))) return null;
    if (!(await this.#stands(record, latest))) return null;
    this.#seen.delete(name);
    this.#abandoned.delete(name);
    const lease = new HeldLease(record, since, this.#holding);
    this.#held.set(name, lease);
    if (!exclusive) this.#renewals.add(lease);
    if (!this.#closing.signal.aborted) return lease;
    await lease.release();
    return null;
  }

  /**
   * Whether nothing happened between the look-up and the new record. Two nodes that see each other both give way, so that they never both hold the
   * lease; an epoch below the floor may have been used and swept. Removes the older record.
   */
  async #stands(record: LeaseRecord, before: LeaseRecord | null): Promise<boolean> {
    const { records, floor } = await this.#records.of(record.name).catch((error) => this.#abandon(record, error));
    const others = records.filter(({ epoch }) => epoch !== record.epoch);
    const stands = floor < record.epoch && others.every(({ epoch }) => before !== null && epoch <= before.epoch);
    if (stands) await this.#records.remove(others).catch((error) => this.#abandon(record, error));
    // A removed epoch may be used by another node, so this process must not take it over, whatever the answer.
    else await this.#records.remove([record]);
    return stands;
  }

  /** The record may remain, but no work began under it, so this process may take it over. */
  #abandon({ name, epoch }: LeaseRecord, failure: unknown): never {
    this.#abandoned.set(name, epoch);
    throw failure;
  }

  /** `asked`: when the record was requested. Later time does not count, since this process may have been paused. */
  #mayTakeOver({ name, epoch, renewals, releasedAt }: LeaseRecord, asked: number): boolean {
    if (releasedAt !== null || this.#deps.exclusive || this.#abandoned.get(name) === epoch) return true;
    const seen = this.#seen.get(name);
    const now = this.#deps.clock.monotonic();
    if (seen?.epoch === epoch && seen.renewals === renewals) {
      seen.at = now;
      return asked - seen.since >= this.#ttl;
    }
    this.#seen.set(name, { epoch, renewals, since: now, at: now });
    return false;
  }

  /** Waits until a lease is released here, or for a tenth of the ttl. All waiting callers try together and share the request. */
  #nextTry(signal: AbortSignal): Promise<void> {
    if (!this.#timing) void this.#time();
    return this.#free.wait({ signal });
  }

  /** A little less than a tenth, so that nodes that started together do not collide each time. */
  async #time(): Promise<void> {
    this.#timing = true;
    await this.#deps.clock.pause((this.#ttl / 10) * (1 - Math.random() / 8), this.#closing.signal);
    this.#timing = false;
    this.#free.notify();
  }

  #sweepSometimes(): void {
    const { clock, logger } = this.#deps;
    if (clock.monotonic() - this.#swept < KEEP_MILLISECONDS) return;
    this.#abandoned.clear();
    // Names that were not requested since the last sweep.
    for (const [name, { at }] of this.#seen) if (at < this.#swept) this.#seen.delete(name);
    this.sweep().catch((error: unknown) => logger.warn({ error: String(error) }, 'sweeping unheld leases failed'));
  }
}
