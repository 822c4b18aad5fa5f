/** A right that one node holds at a time. Its epoch fences everything written under an older one. */
export interface Lease {
  readonly name: string;
  readonly epoch: number;
  /** Aborts when the lease is lost or released: stop the covered work. */
  readonly signal: AbortSignal;
  /** Call it when the covered work has stopped, also after a loss. Never rejects: after a failed write, other nodes take over after the ttl. */
  release(): Promise<void>;
  /** Like `release`, but with the next renewal: other nodes learn of it some seconds later. For a brief lease. */
  releaseLater(): void;
}

export interface AcquireOptions {
  /** For a name that is not expected to be used again once it is released: its record is removed then. */
  readonly brief?: boolean;
  /** The name has probably not been held: skips the look-up. */
  readonly isNew?: boolean;
}

/** Contract suite: `test/contract/leases.ts`. */
export interface Leases {
  /** `null` while another node holds it, or this one. Renews itself until it is released or lost. */
  tryAcquire(name: string, options?: AcquireOptions): Promise<Lease | null>;
  /** Waits until it is free or its holder is dead; rejects when the signal aborts. */
  acquire(name: string, signal: AbortSignal): Promise<Lease>;
  /**
   * Whether it has no holder now. Ask repeatedly: a holder is dead if its lease was unchanged for the ttl, not counting time in which this process
   * could not read, or could not renew its own leases.
   */
  isFree(name: string): Promise<boolean>;
  /** All leases with their holders, for the operations service. */
  list(): Promise<{ name: string; epoch: number; holder: string }[]>;
  /** Names of the leases that this process holds. */
  held(): readonly string[];
  close(): Promise<void>;
}
