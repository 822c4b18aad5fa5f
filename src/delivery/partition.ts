import type { Position } from '../stores/eventStore.ts';
import type { Lease } from '../stores/leases/leases.ts';

/** How many partitions the users are spread over. Each is held by one node at a time. */
export const PARTITIONS = 16;

export const partitionLease = (partition: number): string => `delivery/${partition}`;

/** FNV-1a: the same on every node, for ever. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
};

export const partitionOf = (subject: string): number => hashOf(subject) % PARTITIONS;

/** A partition while this node holds it. */
export interface HeldPartition {
  readonly number: number;
  readonly lease: Lease;
  /** Aborts when the partition is lost, or the deliverer stops. */
  readonly signal: AbortSignal;
  /** Abort it to give the partition to another node: running attempts finish first. */
  readonly givenAway: AbortController;
  /** Events of its users up to here have become facts. */
  position: Position | null;
  saved: Position | null;
  /** The deliveries that were pending when it was taken over are queued. */
  resumed: boolean;
}

export const earlier = (a: Position | null, b: Position | null): Position | null => (a === null || b === null ? null : a < b ? a : b);
