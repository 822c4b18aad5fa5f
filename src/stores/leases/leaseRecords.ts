import type { Clock } from '../../clock.ts';
import type { Documents } from '../documents.ts';
import { Gathering } from '../gathering.ts';
import { documentPages } from '../pages.ts';
import { FLOOR, floorBody, LEASES, type LeaseRecord, leaseBody, leaseId, leaseRecord } from './leaseRecord.ts';

/** More than a process ever requests at once: a name has one record, or two during a takeover. */
const MOST = 10_000;
const PAGE = 500;
/** Names that are looked up in one request. */
const MOST_NAMES = 500;

export interface StoredLease {
  readonly records: readonly LeaseRecord[];
  /** The record with the highest epoch. */
  readonly latest: LeaseRecord | null;
  /** No removed record had a higher epoch than this. */
  readonly floor: number;
}

/**
 * The records of leases in the store. One request at a time looks up all names that wait.
 *
 * Removing a record first raises the floor, so an epoch that continues from the floor is never used twice, without any clock. The floor is a
 * document too, made by `create`; the highest one applies.
 */
export class LeaseRecords {
  readonly #documents: Documents;
  readonly #lookUps: Gathering<string, StoredLease>;

  /** As last seen. */
  floor = 0;

  constructor(documents: Documents, clock: Clock) {
    this.#documents = documents;
    this.#lookUps = new Gathering({ clock, most: MOST_NAMES, send: (names) => this.#lookUp(names) });
  }

  /** Declares the collection. Without a floor, epochs start at `least`: earlier versions took them from the clock. */
  async open(least: number): Promise<void> {
    await this.#documents.ensureCollection({ name: LEASES, indexes: [['name', 'epoch'], ['released']] });
    if ((await this.of(FLOOR)).floor === 0) await this.#raiseFloor(least);
  }

  of(name: string): Promise<StoredLease> {
    return this.#lookUps.add(name);
  }

  async #lookUp(names: readonly string[]): Promise<StoredLease[]> {
    const found = await this.#documents.find(LEASES, { where: { name: [...new Set([FLOOR, ...names])] }, limit: MOST });
    const byName = new Map<string, LeaseRecord[]>();
    for (const { body } of found) {
      const record = leaseRecord(body);
      byName.set(record.name, [...(byName.get(record.name) ?? []), record]);
    }
    const floor = newest(byName.get(FLOOR) ?? [])?.epoch ?? 0;
    // Answers may arrive out of order.
    this.floor = Math.max(this.floor, floor);
    return names.map((name) => {
      const records = byName.get(name) ?? [];
      return { records, latest: newest(records), floor };
    });
  }

  /** `false` if the epoch is taken. */
  create(record: LeaseRecord): Promise<boolean> {
    return this.#documents.create(LEASES, leaseId(record), leaseBody(record));
  }

  /** For an epoch below another of its name. */
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

  /** Pages of held or of released records. Records removed between pages may cause others to be skipped. */
  async *all(released: boolean): AsyncIterable<readonly LeaseRecord[]> {
    for await (const page of documentPages(this.#documents, LEASES, { where: { released } }, PAGE))
      yield page.map(({ body }) => leaseRecord(body));
  }

  /** Creates the new one first, so that there is always one. */
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
