import type { JsonObject } from '../../json.ts';
import type { Expected } from '../documents.ts';

/** Earlier versions kept theirs in `leases`. */
export const LEASES = 'heldLeases';

/** A lease, stored under its name. Every change of it names what it changes, so of several nodes one succeeds. */
export interface LeaseRecord {
  /** Rises with each holder. */
  readonly epoch: number;
  /** Id of the process that holds it; empty while it is free. */
  readonly owner: string;
  /** The same for people. */
  readonly holder: string;
  readonly renewals: number;
  /** Removed when it is released: its name is not expected to be used again. */
  readonly brief: boolean;
}

/** Holds until another process takes the lease. */
export const heldAs = ({ epoch, owner }: LeaseRecord): Expected => ({ epoch, owner });

/** Holds until anything about it changes. */
export const unchanged = ({ epoch, owner, renewals }: LeaseRecord): Expected => ({ epoch, owner, renewals });

export const leaseBody = (record: LeaseRecord): JsonObject => ({ ...record });

/** Only leases write the collection. */
export const leaseRecord = (body: JsonObject): LeaseRecord => body as unknown as LeaseRecord;
