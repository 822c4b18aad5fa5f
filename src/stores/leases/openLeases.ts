import { setMaxListeners } from 'node:events';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import type { Documents } from '../documents.ts';
import { StoreUnavailable } from '../eventStore.ts';
import { HeldLease } from './heldLease.ts';
import { LEASES, type LeaseRecord, leaseBody, leaseId, leaseRecord } from './leaseRecord.ts';
import type { Lease, Leases } from './leases.ts';

export interface LeasesDeps {
  readonly documents: Documents;
  readonly clock: Clock;
  /** Who this is, for people: shown by `list`. */
  readonly holder: string;
  /** How long a lease must have been seen unchanged before another takes it over. */
  readonly ttlMilliseconds?: number;
  /** Nobody else is there (the lock on the data directory proves it): what this instance does not hold is free, and nothing needs renewal. */
  readonly exclusive: boolean;
  readonly logger: Logger;
}

/** A lease that nobody holds is kept so long at least, and its epoch counted on; clocks of nodes must not differ by more. */
const KEEP_MILLISECONDS = 600_000;

export const openLeases = async (deps: LeasesDeps): Promise<Leases> => {
  await deps.documents.ensureCollection({ name: LEASES, indexes: [['name', 'epoch'], ['released']] });
  const leases = new DocumentLeases(deps);
  await leases.sweep();
  return leases;
};

class DocumentLeases implements Leases {
  readonly #deps: LeasesDeps;
  readonly #ttl: number;
  readonly #held = new Map<string, HeldLease>();
  readonly #trying = new Set<string>();
  /** What others hold, and since when it has been seen unchanged. */
  readonly #seen = new Map<string, { readonly epoch: number; readonly renewals: number; readonly since: number; at: number }>();
  readonly #waiting = new Set<() => void>();
  readonly #closing = new AbortController();
  #swept = 0;
  /** What was held when this was last swept, by its id, and how often it had been renewed. */
  #standing: ReadonlyMap<string, number> = new Map();

  constructor(deps: LeasesDeps) {
    this.#deps = deps;
    this.#ttl = deps.ttlMilliseconds ?? 10_000;
    // As many listen as leases are waited for.
    setMaxListeners(0, this.#closing.signal);
  }

  async tryAcquire(name: string): Promise<Lease | null> {
    this.#closing.signal.throwIfAborted();
    if (this.#held.has(name) || this.#trying.has(name)) return null;
    this.#trying.add(name);
    try {
      return await this.#try(name);
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
      else await this.#pause(signal);
    }
  }

  async isFree(name: string): Promise<boolean> {
    if (this.#held.has(name)) return false;
    const asked = this.#deps.clock.monotonic();
    const latest = await this.#latest(name);
    return !latest || this.#mayTakeOver(latest, asked);
  }

  async list(): Promise<{ name: string; epoch: number; holder: string }[]> {
    const found = await this.#deps.documents.find(LEASES, { where: { released: false }, limit: 10_000 });
    return found.map(({ body }) => leaseRecord(body)).map(({ name, epoch, holder }) => ({ name, epoch, holder }));
  }

  held(): readonly string[] {
    return [...this.#held.keys()];
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the leases are closed'));
    await Promise.all([...this.#held.values()].map((lease) => lease.release()));
  }

  /** Removes what was released long ago, and what its holder has left long ago, so that a lease a run leaves nothing behind. */
  async sweep(): Promise<void> {
    const { documents, clock } = this.#deps;
    this.#swept = clock.monotonic();
    const old = clock.now() - KEEP_MILLISECONDS;
    for (let skip = 0; ; ) {
      const page = await documents.find(LEASES, { where: { released: true }, skip, limit: 500 });
      const ended = page.filter(({ body }) => (leaseRecord(body).releasedAt ?? Number.POSITIVE_INFINITY) < old);
      await Promise.all(ended.map(({ id }) => documents.remove(LEASES, id)));
      if (page.length < 500) break;
      skip += page.length - ended.length;
    }
    if (!this.#deps.exclusive) await this.#sweepForsaken();
  }

  /** A node or a run that died leaves a lease that nobody asks for again: it goes when it stands unchanged from one sweep to the next. */
  async #sweepForsaken(): Promise<void> {
    const found = await this.#deps.documents.find(LEASES, { where: { released: false }, limit: 10_000 });
    const standing = found.map(({ id, body }) => ({ id, record: leaseRecord(body) }));
    const forsaken = standing.filter(({ id, record }) => this.#standing.get(id) === record.renewals);
    this.#standing = new Map(standing.map(({ id, record }) => [id, record.renewals]));
    await Promise.all(forsaken.map(({ record }) => this.#remove(record)));
  }

  async #try(name: string): Promise<Lease | null> {
    this.#sweepSometimes();
    const { documents, clock, holder } = this.#deps;
    const asked = clock.monotonic();
    const latest = await this.#latest(name);
    if (latest && !this.#mayTakeOver(latest, asked)) return null;
    // Counts on from the clock once the last record has been swept, so that an epoch never comes again.
    const record: LeaseRecord = { name, epoch: latest ? latest.epoch + 1 : clock.now(), holder, renewals: 0, releasedAt: null };
    const since = clock.monotonic();
    if (!(await documents.create(LEASES, leaseId(name, record.epoch), leaseBody(record)))) return null;
    if (!(await (latest ? this.#isNewest(record) : this.#isAlone(record)))) return null;
    this.#seen.delete(name);
    const lease = this.#hold(record, since);
    if (!this.#closing.signal.aborted) return lease;
    await lease.release();
    return null;
  }

  /** One that took long to come here may have made an epoch that others have left behind. Removes the older ones. */
  async #isNewest({ name, epoch }: LeaseRecord): Promise<boolean> {
    const all = await this.#all(name);
    const newest = Math.max(...all.map((record) => record.epoch));
    await Promise.all(all.filter((record) => record.epoch < newest).map((record) => this.#remove(record)));
    return newest === epoch;
  }

  /** Two that found nothing may have made two epochs: who sees another gives way, so that never both go on. */
  async #isAlone(record: LeaseRecord): Promise<boolean> {
    if ((await this.#all(record.name)).length === 1) return true;
    await this.#remove(record);
    return false;
  }

  async #all(name: string): Promise<LeaseRecord[]> {
    const found = await this.#deps.documents.find(LEASES, { where: { name }, limit: 100 });
    return found.map(({ body }) => leaseRecord(body));
  }

  #remove({ name, epoch }: LeaseRecord): Promise<boolean> {
    return this.#deps.documents.remove(LEASES, leaseId(name, epoch));
  }

  #hold(record: LeaseRecord, since: number): Lease {
    const lease = new HeldLease(record, since, { ...this.#deps, ttl: this.#ttl }, () => {
      if (this.#held.get(record.name) === lease) this.#held.delete(record.name);
      for (const wake of this.#waiting) wake();
    });
    this.#held.set(record.name, lease);
    return lease;
  }

  async #latest(name: string): Promise<LeaseRecord | null> {
    const found = await this.#deps.documents.find(LEASES, {
      where: { name },
      orderBy: [{ member: 'epoch', direction: 'desc' }],
      limit: 1,
    });
    return found[0] ? leaseRecord(found[0].body) : null;
  }

  /** `asked`: when the record was asked for. It tells nothing of the time after, in which this process may have been paused. */
  #mayTakeOver({ name, epoch, renewals, releasedAt }: LeaseRecord, asked: number): boolean {
    if (releasedAt !== null || this.#deps.exclusive) return true;
    const seen = this.#seen.get(name);
    const now = this.#deps.clock.monotonic();
    if (seen?.epoch === epoch && seen.renewals === renewals) {
      seen.at = now;
      return asked - seen.since >= this.#ttl;
    }
    this.#seen.set(name, { epoch, renewals, since: now, at: now });
    return false;
  }

  /** Until something here is released, or a tenth of the ttl; a little less, so that two who began together do not meet each time. */
  async #pause(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const wake = () => over.abort();
    for (const stop of [signal, this.#closing.signal]) stop.addEventListener('abort', wake);
    this.#waiting.add(wake);
    await this.#deps.clock.pause((this.#ttl / 10) * (1 - Math.random() / 8), over.signal);
    this.#waiting.delete(wake);
    for (const stop of [signal, this.#closing.signal]) stop.removeEventListener('abort', wake);
  }

  #sweepSometimes(): void {
    const { clock, logger } = this.#deps;
    const now = clock.monotonic();
    if (now - this.#swept < KEEP_MILLISECONDS) return;
    // What nobody here has asked for since.
    for (const [name, { at }] of this.#seen) if (at < this.#swept) this.#seen.delete(name);
    this.sweep().catch((error: unknown) => logger.warn({ error: String(error) }, 'sweeping unheld leases failed'));
  }
}
