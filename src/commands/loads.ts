import { StoreUnavailable } from '../stores/eventStore.ts';
import { Items } from '../supervision/items.ts';

/** Pages read at the same time. One of large events may take many megabytes of memory. */
const MOST = 8;
/** A read that fails after this time has waited for a silent store. */
const SILENT_MILLISECONDS = 1_000;

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

  async #run<T>(read: () => Promise<T>): Promise<T> {
    if (this.#running < MOST) this.#running += 1;
    else await new Promise<void>((go, fail) => this.#waiting.push({ go, fail }));
    const began = performance.now();
    try {
      return await read();
    } catch (error) {
      if (error instanceof StoreUnavailable && performance.now() - began > SILENT_MILLISECONDS) this.#fail(error);
      throw error;
    } finally {
      // Passes its place on.
      const next = this.#waiting.shift();
      if (next) next.go();
      else this.#running -= 1;
    }
  }

  /** While the store is silent, those that wait fail too: otherwise they would time out one after another. */
  #fail(cause: StoreUnavailable): void {
    for (const { fail } of this.#waiting.splice(0)) fail(new StoreUnavailable(cause.message, { cause }));
  }
}
