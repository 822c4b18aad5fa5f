/** A right that one node holds at a time. Its epoch fences everything written under an older one. */
export interface Lease {
  readonly name: string;
  readonly epoch: number;
  /** Aborts when the lease is lost or released: stop the covered work. */
  readonly signal: AbortSignal;
  release(): Promise<void>;
  /** As `release`, but with the next renewal: other nodes learn of it some seconds later. For a name that they are not expected to ask for again. */
  releaseLater(): void;
}

/** Contract suite: `test/contract/leases.ts`. Built on the documents port, the same on every store. */
export interface Leases {
  /** `null` while another node holds it. Renews itself until it is released or lost. `expectNew` skips the first read, for a name that has probably not been held. */
  tryAcquire(name: string, expectNew?: boolean): Promise<Lease | null>;
  /** Waits until it is free or its holder is dead; rejects when the signal aborts. */
  acquire(name: string, signal: AbortSignal): Promise<Lease>;
  /**
   * Whether it has no holder now. Ask repeatedly: a holder is dead if its lease was unchanged for the ttl, not counting time in which this process
   * could not read, or could not renew its own leases.
   */
  isFree(name: string): Promise<boolean>;
  /** All leases with their holders, for the operations service. */
  list(): Promise<{ name: string; epoch: number; holder: string }[]>;
  /** Names of the leases that this instance holds. */
  held(): readonly string[];
  close(): Promise<void>;
}
