import { FairQueue } from '../runner/fairQueue.ts';

interface Place {
  count: number;
  readonly waiting: FairQueue<() => void>;
}

/** A run that asks for a place under a name. */
export interface Entrant {
  readonly name: string;
  readonly owner: string;
  /** Concurrent runs of the name. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Limits the concurrent runs of one name on this node. The owners of waiting runs take turns. */
export class Gate {
  readonly #places = new Map<string, Place>();

  /** Runs `work` when a place is free. If the signal aborts first, rejects with its reason. */
  async pass<T>(entrant: Entrant, work: () => Promise<T>): Promise<T> {
    await this.#enter(entrant);
    try {
      return await work();
    } finally {
      this.#leave(entrant.name);
    }
  }

  #enter({ name, owner, limit, signal }: Entrant): Promise<void> {
    const place = this.#places.get(name) ?? { count: 0, waiting: new FairQueue() };
    this.#places.set(name, place);
    if (place.count < limit) {
      place.count++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const abort = () => {
        place.waiting.remove(owner, enter);
        reject(signal.reason);
      };
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      place.waiting.add(owner, enter);
    });
  }

  /** Hands the place to the next waiting run. */
  #leave(name: string): void {
    const place = this.#places.get(name);
    const next = place?.waiting.take();
    if (next) next();
    else if (place && --place.count === 0) this.#places.delete(name);
  }
}
