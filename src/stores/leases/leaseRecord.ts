import type { JsonObject } from '../../json.ts';

export const LEASES = 'leases';

/** One document an epoch, `<name>#<epoch>`; the highest epoch of a name is the lease. */
export interface LeaseRecord {
  readonly name: string;
  readonly epoch: number;
  readonly holder: string;
  readonly renewals: number;
  /** Milliseconds since the epoch; `null` while held. */
  readonly releasedAt: number | null;
}

export const leaseId = (name: string, epoch: number): string => `${name}#${epoch}`;

/** `released` beside the time, since an index finds equal values only. */
export const leaseBody = (record: LeaseRecord): JsonObject => ({ ...record, released: record.releasedAt !== null });

/** Only leases write the collection. */
export const leaseRecord = (body: JsonObject): LeaseRecord => body as unknown as LeaseRecord;
