/** Lets at most some runs of one name be under way at once; others wait in order. Per node. */
export class Gate {
  readonly #running = new Map<string, { count: number; waiting: (() => void)[] }>();

  /** Runs `work` when it may. A signal that aborts before ends the wait with its reason. */
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

  /** The place goes to the next one that waits. */
  #leave(name: string): void {
    const place = this.#running.get(name);
    const next = place?.waiting.shift();
    if (next) next();
    else if (place && --place.count === 0) this.#running.delete(name);
  }
}
