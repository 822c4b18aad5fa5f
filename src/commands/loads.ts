import { StoreUnavailable } from '../stores/eventStore.ts';

/** Event streams read at the same time: the first page of one may take 8 MiB of memory. */
const MOST = 8;

interface Waiting {
  readonly go: () => void;
  readonly fail: (error: StoreUnavailable) => void;
}

/** Loads of event streams from their beginning, eight at a time. */
export class Loads {
  #running = 0;
  readonly #waiting: Waiting[] = [];

  /** If the store is unavailable to one load, those that wait fail with it: each would wait for the store as long again. */
  async run<T>(load: () => Promise<T>): Promise<T> {
    if (this.#running < MOST) this.#running += 1;
    else await new Promise<void>((go, fail) => this.#waiting.push({ go, fail }));
    try {
      return await load();
    } catch (error) {
      if (error instanceof StoreUnavailable) for (const { fail } of this.#waiting.splice(0)) fail(error);
      throw error;
    } finally {
      // Its place goes to the next one.
      const next = this.#waiting.shift();
      if (next) next.go();
      else this.#running -= 1;
    }
  }
}
