import type { Position } from '../stores/eventStore.ts';
import type { Lease } from '../stores/leases/leases.ts';

/** Users are spread over so many; each is held by one node. */
export const PARTITIONS = 16;

export const partitionLease = (partition: number): string => `delivery/${partition}`;

/** FNV-1a over the subject: the same on every node, for ever. */
export const partitionOf = (subject: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < subject.length; i += 1) hash = Math.imul(hash ^ subject.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % PARTITIONS;
};

/** A partition while this node holds it. */
export interface HeldPartition {
  readonly number: number;
  readonly lease: Lease;
  /** Aborts when it is lost or given up. */
  readonly signal: AbortSignal;
  /** To be aborted when another node is to have it: what is under way is brought to its end first. */
  readonly givenAway: AbortController;
  /** How far the reading has come for its users: everything up to here has become facts. */
  position: Position | null;
  /** The position that was saved last. */
  saved: Position | null;
  /** What was pending when it was taken over is being sent. */
  resumed: boolean;
}

export const earlier = (a: Position | null, b: Position | null): Position | null => (a === null || b === null ? null : a < b ? a : b);
