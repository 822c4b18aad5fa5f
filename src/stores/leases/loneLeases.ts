import type { Clock } from '../../clock.ts';
import { Notifier } from '../../supervision/notifier.ts';
import type { Documents } from '../documents.ts';
import type { Lease, Leases } from './leases.ts';

export interface LoneLeasesDeps {
  readonly documents: Documents;
  readonly clock: Clock;
  /** Name of this process for people, shown by `list`. */
  readonly holder: string;
}

const COLLECTION = 'starts';
const LAST = 'last';
/** Earlier versions kept the leases of the embedded form here. */
const FORMER = 'leases';

/**
 * Leases of a process that alone uses the documents: granted at once, unless this process holds them, and never lost. All have one epoch, above those of
 * earlier processes, because checkpoints are refused under an older one.
 */
export const openLoneLeases = async ({ documents, clock, holder }: LoneLeasesDeps): Promise<Leases> => {
  await documents.ensureCollection({ name: COLLECTION, indexes: [] });
  const last = await documents.get(COLLECTION, LAST);
  const epoch = last ? Number(last.body.epoch) + 1 : clock.now();
  await (last ? documents.replace(COLLECTION, LAST, { epoch }) : documents.create(COLLECTION, LAST, { epoch }));
  await documents.dropCollection(FORMER);
  return new LoneLeases(epoch, holder);
};

class LoneLeases implements Leases {
  readonly #epoch: number;
  readonly #holder: string;
  readonly #held = new Map<string, Lease>();
  readonly #released = new Notifier();
  readonly #closing = new AbortController();

  constructor(epoch: number, holder: string) {
    this.#epoch = epoch;
    this.#holder = holder;
  }

  async tryAcquire(name: string): Promise<Lease | null> {
    return this.#take(name);
  }

  async acquire(name: string, signal: AbortSignal): Promise<Lease> {
    for (;;) {
      signal.throwIfAborted();
      // No await before it waits: it would miss a release in between.
      const lease = this.#take(name);
      if (lease) return lease;
      await this.#released.wait({ signal });
    }
  }

  async isFree(name: string): Promise<boolean> {
    return !this.#held.has(name);
  }

  async list(): Promise<{ name: string; epoch: number; holder: string }[]> {
    return this.held().map((name) => ({ name, epoch: this.#epoch, holder: this.#holder }));
  }

  held(): readonly string[] {
    return [...this.#held.keys()];
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the leases are closed'));
    for (const lease of this.#held.values()) lease.releaseLater();
    this.#released.notify();
  }

  #take(name: string): Lease | null {
    this.#closing.signal.throwIfAborted();
    if (this.#held.has(name)) return null;
    const over = new AbortController();
    const end = () => {
      if (over.signal.aborted) return;
      over.abort(new Error(`lease ${name} was released`));
      this.#held.delete(name);
      this.#released.notify();
    };
    const lease: Lease = { name, epoch: this.#epoch, signal: over.signal, release: async () => end(), releaseLater: end };
    this.#held.set(name, lease);
    return lease;
  }
}
