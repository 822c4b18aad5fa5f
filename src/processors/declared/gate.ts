/** Limits the concurrent runs of one name on this node; further runs wait in order. */
export class Gate {
  readonly #running = new Map<string, { count: number; waiting: (() => void)[] }>();

  /** Runs `work` when a place is free. If the signal aborts first, rejects with its reason. */
  async pass<T>(name: string, limit: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(name, limit, signal);
    try {
      return await work();
    } finally {
      this.#leave(name);
    }
  }

  #enter(name: string, limit: number, signal: AbortSignal): Promise<void> {
    const place = this.#running.get(name) ?? { count: 0, waiting: [] };
    this.#running.set(name, place);
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
        place.waiting = place.waiting.filter((one) => one !== enter);
        reject(signal.reason);
      };
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      place.waiting.push(enter);
    });
  }

  /** Hands the place to the next waiting run. */
  #leave(name: string): void {
    const place = this.#running.get(name);
    const next = place?.waiting.shift();
    if (next) next();
    else if (place && --place.count === 0) this.#running.delete(name);
  }
}
