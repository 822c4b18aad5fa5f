import type { Position } from '../stores/eventStore.ts';
import type { Lease } from '../stores/leases/leases.ts';

/** Number of partitions of the users; each is held by one node. */
export const PARTITIONS = 16;

export const partitionLease = (partition: number): string => `delivery/${partition}`;

/** FNV-1a of the subject: the same on every node, for ever. */
export const partitionOf = (subject: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < subject.length; i += 1) hash = Math.imul(hash ^ subject.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % PARTITIONS;
};

/** A partition while this node holds it. */
export interface HeldPartition {
  readonly number: number;
  readonly lease: Lease;
  /** Aborts when it is lost or given away. */
  readonly signal: AbortSignal;
  /** Aborted to give the partition to another node: running work is finished first. */
  readonly givenAway: AbortController;
  /** Position up to which all events of its users have become facts. */
  position: Position | null;
  /** The last saved position. */
  saved: Position | null;
  /** Deliveries that were pending at the takeover are enqueued. */
  resumed: boolean;
}

export const earlier = (a: Position | null, b: Position | null): Position | null => (a === null || b === null ? null : a < b ? a : b);
