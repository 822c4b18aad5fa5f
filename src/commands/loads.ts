import { StoreUnavailable } from '../stores/eventStore.ts';
import { Items } from '../supervision/items.ts';

/** Pages read at the same time: one may take 8 MiB of memory. */
const MOST = 8;

interface Waiting {
  readonly go: () => void;
  readonly fail: (error: StoreUnavailable) => void;
}

/** Event streams that are read from their beginning, eight pages at a time. A long one waits for its turn again before each page. */
export class Loads {
  #running = 0;
  readonly #waiting: Waiting[] = [];

  pages<T>(source: AsyncIterable<T>): AsyncIterable<T> {
    const reading = source[Symbol.asyncIterator]();
    return new Items(
      () => this.#run(() => reading.next()),
      () => reading.return?.(),
    );
  }

  /** If the store is unavailable to one, those that wait fail with it: each would wait for the store as long again. */
  async #run<T>(read: () => Promise<T>): Promise<T> {
    if (this.#running < MOST) this.#running += 1;
    else await new Promise<void>((go, fail) => this.#waiting.push({ go, fail }));
    try {
      return await read();
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
