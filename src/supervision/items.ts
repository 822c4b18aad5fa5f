/**
 * V8 keeps all variables of a suspended function, even those of a loop's last round. So a `for await` that waits for the next item still holds the one
 * before it, and so does each generator that has passed it on. Where items may be large and the next one may come late, use these functions: each item is
 * handled in a function that returns before the next one is awaited.
 */

/** Ends `forEachItem` early. */
export const STOP = Symbol('stop');

/** Gives each item to `use`, one after another, until `use` returns `STOP`. */
export const forEachItem = async <Item>(items: AsyncIterable<Item>, use: (item: Item) => Promise<unknown> | unknown): Promise<void> => {
  const reading = items[Symbol.asyncIterator]();
  let isOver = false;
  const useNext = async (): Promise<boolean> => {
    isOver = true;
    const next = await reading.next();
    if (next.done) return false;
    isOver = false;
    return (await use(next.value)) !== STOP;
  };
  try {
    while (await useNext());
  } catch (error) {
    // What made `use` fail is the cause.
    if (!isOver) await Promise.resolve(reading.return?.()).catch(ignore);
    throw error;
  }
  if (!isOver) await reading.return?.();
};

/** The results of `map` for all items, one at a time. `null` leaves an item out. */
export const mapItems = <Item, Result>(
  items: AsyncIterable<Item>,
  map: (item: Item) => Promise<Result | null> | Result | null,
): AsyncIterableIterator<Result, undefined> => {
  const reading = items[Symbol.asyncIterator]();
  const mapNext = async (): Promise<IteratorResult<Result, undefined> | null> => {
    const next = await reading.next();
    if (next.done) return END;
    const result = await map(next.value);
    return result === null ? null : { done: false, value: result };
  };
  return new Items(mapNext, () => reading.return?.());
};

export const END = { done: true, value: undefined } as const;

/** Items that `next` makes, one at a time; `null` asks it again. `close` is called once: at the end, after a failure, or when the reader leaves. Ask for one item at a time. */
export class Items<Item> implements AsyncIterableIterator<Item, undefined> {
  readonly #make: () => Promise<IteratorResult<Item, undefined> | null>;
  readonly #close: () => unknown;
  #isOver = false;
  /** Settles with the last request. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(next: () => Promise<IteratorResult<Item, undefined> | null>, close: () => unknown) {
    this.#make = next;
    this.#close = close;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    const next = this.#next();
    this.#last = next.then(ignore, ignore);
    return next;
  }

  /** Waits for the running step before closing. */
  async return(): Promise<IteratorResult<Item, undefined>> {
    await this.#last;
    await this.#end();
    return END;
  }

  async #next(): Promise<IteratorResult<Item, undefined>> {
    try {
      while (!this.#isOver) {
        const next = await this.#make();
        if (next?.done) await this.#end();
        if (next) return next;
      }
      return END;
    } catch (error) {
      // This failure is the cause.
      await this.#end().catch(ignore);
      throw error;
    }
  }

  async #end(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#close();
  }
}

const ignore = (): void => {};
