import type { Progressed } from './retrying.ts';
import { type SupervisionOptions, supervise } from './supervise.ts';

interface Lease {
  readonly epoch: number;
  /** Aborts when the lease is lost or released. */
  readonly signal: AbortSignal;
  release(): Promise<void>;
}

interface LeaseOptions extends SupervisionOptions {
  readonly leases: { acquire(name: string, signal: AbortSignal): Promise<Lease> };
  readonly name: string;
}

/** One holding of a lease. */
export interface Holding {
  /** Fences what is written under an older holding. */
  readonly epoch: number;
  /** Aborts when the lease is lost, or the supervision ends: `work` has to return then. */
  readonly signal: AbortSignal;
  readonly progressed: Progressed;
}

/** Runs `work` on one node at a time: acquires the lease, works, releases it, and begins again. See `supervise`. */
export const underLease = (work: (holding: Holding) => Promise<void>, { leases, name, ...options }: LeaseOptions): Promise<void> =>
  supervise(async (progressed) => {
    const lease = await leases.acquire(name, options.signal);
    try {
      await work({ epoch: lease.epoch, signal: AbortSignal.any([options.signal, lease.signal]), progressed });
    } finally {
      await lease.release();
    }
  }, options);
