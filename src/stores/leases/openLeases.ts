import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { Notifier } from '../../supervision/notifier.ts';
import type { Documents } from '../documents.ts';
import { StoreUnavailable } from '../eventStore.ts';
import { Gathering } from '../gathering.ts';
import { documentPages } from '../pages.ts';
import { HeldLease, type HoldingDeps } from './heldLease.ts';
import { LEASES, type LeaseRecord, leaseBody, leaseRecord, unchanged } from './leaseRecord.ts';
import type { AcquireOptions, Lease, Leases } from './leases.ts';
import { Renewals } from './renewals.ts';
import { Silences } from './silences.ts';

export interface LeasesDeps {
  readonly documents: Documents;
  readonly clock: Clock;
  /** Name of this process for people, shown by `list`. */
  readonly holder: string;
  /** How long a lease must be unchanged before another node takes it over. */
  readonly ttlMilliseconds?: number;
  readonly logger: Logger;
}

const SWEEP_MILLISECONDS = 600_000;
/** Looked up in one request. */
const MOST_NAMES = 500;
const PAGE = 500;

/** Leases of processes that share the documents. */
export const openLeases = async (deps: LeasesDeps): Promise<Leases> => {
  await deps.documents.ensureCollection({ name: LEASES, indexes: [] });
  return new DocumentLeases(deps);
};

class DocumentLeases implements Leases {
  readonly #deps: LeasesDeps;
  readonly #ttl: number;
  readonly #owner = randomUUID();
  readonly #renewals: Renewals;
  readonly #silences: Silences;
  readonly #holding: HoldingDeps;
  readonly #lookUps: Gathering<string, LeaseRecord | null>;
  /** Until their work has stopped, also if they are lost. */
  readonly #held = new Map<string, HeldLease>();
  readonly #trying = new Set<string>();
  readonly #free = new Notifier();
  #timing = false;
  readonly #closing = new AbortController();
  #swept: number;
  /** Brief leases at the last sweep: what was unchanged since then has no holder. */
  #standing: ReadonlyMap<string, string> = new Map();

  constructor(deps: LeasesDeps) {
    const { documents, clock, logger } = deps;
    const ttl = deps.ttlMilliseconds ?? 10_000;
    this.#deps = deps;
    this.#ttl = ttl;
    this.#swept = clock.monotonic();
    this.#renewals = new Renewals({ documents, clock, ttl, logger });
    this.#silences = new Silences(clock, ttl / 2);
    this.#lookUps = new Gathering({ clock, most: MOST_NAMES, send: (names) => this.#lookUp(names) });
    this.#holding = {
      ...{ documents, clock, ttl, logger },
      onLost: (lease) => this.#renewals.remove(lease),
      onReleased: (lease, later) => {
        this.#renewals.remove(lease, later);
        this.#held.delete(lease.name);
        this.#free.notify();
      },
    };
  }

  async tryAcquire(name: string, options: AcquireOptions = {}): Promise<Lease | null> {
    this.#closing.signal.throwIfAborted();
    if (this.#held.has(name) || this.#trying.has(name)) return null;
    this.#trying.add(name);
    try {
      return await this.#try(name, options);
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
    return !this.#held.has(name) && (await this.#look(name)).isFree;
  }

  async list(): Promise<{ name: string; epoch: number; holder: string }[]> {
    const held = (await this.#all()).filter(({ record }) => record.owner !== '');
    return held.map(({ name, record: { epoch, holder } }) => ({ name, epoch, holder }));
  }

  held(): readonly string[] {
    return [...this.#held.values()].filter(({ signal }) => !signal.aborted).map(({ name }) => name);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the leases are closed'));
    // Those that wait try again, and are refused.
    this.#free.notify();
    await Promise.all([...this.#held.values()].map((lease) => lease.release()));
    await this.#renewals.close();
  }

  async #try(name: string, { brief = false, isNew = false }: AcquireOptions): Promise<Lease | null> {
    this.#sweepSometimes();
    const { clock, holder } = this.#deps;
    const { record: before, isFree } = isNew ? { record: null, isFree: true } : await this.#look(name);
    // A record of this process that it does not hold: the answer to a write was lost.
    if (before && !isFree && before.owner !== this.#owner) return null;
    const since = clock.monotonic();
    const record = { epoch: before ? before.epoch + 1 : clock.now(), owner: this.#owner, holder, renewals: 0, brief };
    if (!(await this.#write(name, record, before))) return null;
    const lease = new HeldLease(name, record, since, this.#holding);
    this.#held.set(name, lease);
    this.#renewals.add(lease);
    if (!this.#closing.signal.aborted) return lease;
    await lease.release();
    return null;
  }

  /** `false` if another process was faster. */
  #write(name: string, record: LeaseRecord, before: LeaseRecord | null): Promise<boolean> {
    const { documents } = this.#deps;
    return before
      ? documents.replace(LEASES, name, leaseBody(record), unchanged(before))
      : documents.create(LEASES, name, leaseBody(record));
  }

  /** Failures of the store, and those of our own renewals, do not count as silence of the holder. */
  async #look(name: string): Promise<{ readonly record: LeaseRecord | null; readonly isFree: boolean }> {
    const asked = this.#deps.clock.monotonic();
    const record = await this.#lookUps.add(name).catch((error: unknown) => {
      this.#silences.clear();
      throw error;
    });
    if (!record || record.owner === '') return { record, isFree: true };
    if (!this.#renewals.areAccepted) this.#silences.clear();
    return { record, isFree: this.#silences.of(name, `${record.epoch}/${record.renewals}`, asked) >= this.#ttl };
  }

  async #lookUp(names: readonly string[]): Promise<(LeaseRecord | null)[]> {
    const found = await this.#deps.documents.getMany(LEASES, [...new Set(names)]);
    const records = new Map(found.map(({ id, body }) => [id, leaseRecord(body)]));
    return names.map((name) => records.get(name) ?? null);
  }

  async #all(): Promise<{ readonly name: string; readonly record: LeaseRecord }[]> {
    const all: { name: string; record: LeaseRecord }[] = [];
    for await (const page of documentPages(this.#deps.documents, LEASES, {}, PAGE))
      all.push(...page.map(({ id, body }) => ({ name: id, record: leaseRecord(body) })));
    return all;
  }

  /** Waits until a lease is released here, or for a tenth of the ttl. All waiting callers try together and share the request. */
  #nextTry(signal: AbortSignal): Promise<void> {
    if (!this.#timing) void this.#time();
    return this.#free.wait({ signal });
  }

  async #time(): Promise<void> {
    this.#timing = true;
    await this.#deps.clock.pause(this.#ttl / 10, this.#closing.signal);
    this.#timing = false;
    this.#free.notify();
  }

  #sweepSometimes(): void {
    const { clock, logger } = this.#deps;
    if (clock.monotonic() - this.#swept < SWEEP_MILLISECONDS) return;
    this.#swept = clock.monotonic();
    this.#sweep().catch((error: unknown) => logger.warn({ error: String(error) }, 'sweeping leases of dead holders failed'));
  }

  /** Removes brief leases whose holders died: their names may never be used again. */
  async #sweep(): Promise<void> {
    const brief = (await this.#all()).filter(({ record }) => record.brief);
    const mark = ({ record: { epoch, renewals } }: (typeof brief)[number]) => `${epoch}/${renewals}`;
    const dead = brief.filter((one) => this.#standing.get(one.name) === mark(one));
    this.#standing = new Map(brief.map((one) => [one.name, mark(one)]));
    await Promise.all(dead.map(({ name, record }) => this.#deps.documents.remove(LEASES, name, unchanged(record))));
  }
}
