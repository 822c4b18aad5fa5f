import type { Lease, Leases } from '../../src/stores/leases/leases.ts';

/** Leases in memory. Nodes of a test share one; `lose` takes a lease from its holder, like a time-out. */
export class MemoryLeases implements Leases {
  readonly #held = new Map<string, { epoch: number; control: AbortController }>();
  readonly #epochs = new Map<string, number>();
  #waiting: (() => void)[] = [];

  async tryAcquire(name: string): Promise<Lease | null> {
    return this.#take(name);
  }

  #take(name: string): Lease | null {
    if (this.#held.has(name)) return null;
    const epoch = (this.#epochs.get(name) ?? 0) + 1;
    this.#epochs.set(name, epoch);
    const held = { epoch, control: new AbortController() };
    this.#held.set(name, held);
    const release = async () => {
      if (this.#held.get(name) === held) this.lose(name);
    };
    return { name, epoch, signal: held.control.signal, release, releaseLater: () => void release() };
  }

  async acquire(name: string, signal: AbortSignal): Promise<Lease> {
    for (;;) {
      signal.throwIfAborted();
      // No await before it waits: it would miss a release in between.
      const lease = this.#take(name);
      if (lease) return lease;
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }

  async isFree(name: string): Promise<boolean> {
    return !this.#held.has(name);
  }

  lose(name: string): void {
    this.#held.get(name)?.control.abort(new Error(`lost ${name}`));
    this.#held.delete(name);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async list(): Promise<{ name: string; epoch: number; holder: string }[]> {
    return [...this.#held].map(([name, { epoch }]) => ({ name, epoch, holder: 'test' }));
  }

  held(): readonly string[] {
    return [...this.#held.keys()];
  }

  async close(): Promise<void> {}
}
