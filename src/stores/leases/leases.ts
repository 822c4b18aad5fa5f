/** A right held by one node at a time, with the epoch that fences everything written under an older holding. */
export interface Lease {
  readonly name: string;
  readonly epoch: number;
  /** Aborts when the lease is lost or released: stop the work that it covers. */
  readonly signal: AbortSignal;
  release(): Promise<void>;
}

/** Contract suite: `test/contract/leases.ts`. Built on the documents port, the same on every store. */
export interface Leases {
  /** `null` while another holds it. Renews itself until released or lost. */
  tryAcquire(name: string): Promise<Lease | null>;
  /** Waits until it is free (or its holder is gone), or rejects when the signal aborts. */
  acquire(name: string, signal: AbortSignal): Promise<Lease>;
  /**
   * Whether it has no holder now. Ask repeatedly: a holder is gone when its lease has been seen unchanged for the ttl, not counting time in which this
   * process could not look or could not renew leases of its own.
   */
  isFree(name: string): Promise<boolean>;
  /** For the operations service: who holds what. */
  list(): Promise<{ name: string; epoch: number; holder: string }[]>;
  /** Names of those that this instance holds now. */
  held(): readonly string[];
  close(): Promise<void>;
}
