import type { Documents } from '../documents.ts';
import { FLOOR, floorBody, LEASES, type LeaseRecord, leaseBody, leaseId, leaseRecord } from './leaseRecord.ts';

/** More than a process ever asks for at once: a name has one record, or two while it is taken over. */
const MOST = 10_000;
const PAGE = 500;

/** What is stored of one lease. */
export interface StoredLease {
  readonly records: readonly LeaseRecord[];
  /** The one with the highest epoch. */
  readonly latest: LeaseRecord | null;
  /** Every epoch whose record has been removed is at most this. */
  readonly floor: number;
}

/**
 * The records of leases in the store. Look-ups of the same turn share a request.
 *
 * A record that is removed raises the floor first, so an epoch that counts on from the floor never comes twice: no clock is asked. The floor is a
 * document too, made by `create`; the highest one counts.
 */
export class LeaseRecords {
  readonly #documents: Documents;
  #asking: { readonly names: Set<string>; readonly answer: Promise<ReadonlyMap<string, LeaseRecord[]>> } | null = null;

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  /** Declares the collection. Without a floor, epochs count on from `least`: earlier versions took them from the clock. */
  async open(least: number): Promise<void> {
    await this.#documents.ensureCollection({ name: LEASES, indexes: [['name', 'epoch'], ['released']] });
    if ((await this.of(FLOOR)).floor === 0) await this.#raiseFloor(least);
  }

  async of(name: string): Promise<StoredLease> {
    this.#asking ??= this.#ask();
    this.#asking.names.add(name);
    const found = await this.#asking.answer;
    const records = found.get(name) ?? [];
    return { records, latest: newest(records), floor: newest(found.get(FLOOR) ?? [])?.epoch ?? 0 };
  }

  #ask() {
    const names = new Set([FLOOR]);
    const read = async (): Promise<ReadonlyMap<string, LeaseRecord[]>> => {
      // All of this turn share the request.
      await new Promise((resolve) => setImmediate(resolve));
      this.#asking = null;
      const found = await this.#documents.find(LEASES, { where: { name: [...names] }, limit: MOST });
      const byName = new Map<string, LeaseRecord[]>();
      for (const { body } of found) {
        const record = leaseRecord(body);
        byName.set(record.name, [...(byName.get(record.name) ?? []), record]);
      }
      return byName;
    };
    return { names, answer: read() };
  }

  /** `false` if this epoch is taken. */
  create(record: LeaseRecord): Promise<boolean> {
    return this.#documents.create(LEASES, leaseId(record), leaseBody(record));
  }

  /** For an epoch below another of its name, which counts on from it. */
  async remove(records: readonly LeaseRecord[]): Promise<void> {
    await Promise.all(records.map((record) => this.#documents.remove(LEASES, leaseId(record))));
  }

  /** For the last records of their names. */
  async removeLast(records: readonly LeaseRecord[]): Promise<void> {
    const highest = newest(records);
    if (!highest) return;
    await this.#raiseFloor(highest.epoch);
    await this.remove(records);
  }

  /** Pages of what is held, or of what is released. Records may be removed between pages: some are then passed over. */
  async *all(released: boolean): AsyncIterable<readonly LeaseRecord[]> {
    for (let skip = 0; ; skip += PAGE) {
      const page = await this.#documents.find(LEASES, { where: { released }, skip, limit: PAGE });
      yield page.map(({ body }) => leaseRecord(body));
      if (page.length < PAGE) return;
    }
  }

  /** The new one first, so that there is always one. */
  async #raiseFloor(epoch: number): Promise<void> {
    const floor = { name: FLOOR, epoch };
    await this.#documents.create(LEASES, leaseId(floor), floorBody(epoch));
    const found = await this.#documents.find(LEASES, { where: { name: FLOOR }, limit: MOST });
    const lower = found.map(({ body }) => leaseRecord(body)).filter((one) => one.epoch < epoch);
    await this.remove(lower);
  }
}

const newest = (records: readonly LeaseRecord[]): LeaseRecord | null =>
  records.reduce<LeaseRecord | null>((best, record) => (best && best.epoch >= record.epoch ? best : record), null);
