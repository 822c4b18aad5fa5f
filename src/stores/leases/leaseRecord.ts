import type { JsonObject } from '../../json.ts';

export const LEASES = 'leases';
/** Name of the document with the floor: every new lease gets an epoch above it. No lease has this name. */
export const FLOOR = '(floor)';

/** One document per epoch, `<name>#<epoch>`; the highest epoch of a name is the lease. */
export interface LeaseRecord {
  readonly name: string;
  readonly epoch: number;
  readonly holder: string;
  readonly renewals: number;
  /** Unix time in milliseconds; `null` while held. */
  readonly releasedAt: number | null;
}

export const leaseId = ({ name, epoch }: Pick<LeaseRecord, 'name' | 'epoch'>): string => `${name}#${epoch}`;

/** `released` says whether `releasedAt` is set, since an index finds only equal values. */
export const leaseBody = (record: LeaseRecord): JsonObject => ({ ...record, released: record.releasedAt !== null });

/** Neither held nor released, so that it is never listed as a lease. */
export const floorBody = (epoch: number): JsonObject => ({ name: FLOOR, epoch, released: null });

/** Only leases write the collection. */
export const leaseRecord = (body: JsonObject): LeaseRecord => body as unknown as LeaseRecord;
