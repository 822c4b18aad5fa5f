import { Items } from '../supervision/items.ts';

/** Runs work of the same name one after the other, also after a failure; work of other names runs concurrently. */
export class Serial {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name);
    const mine = before ? before.then(work, work) : work();
    this.#last.set(name, mine);
    const done = () => {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    };
    mine.then(done, done);
    return mine;
  }

  /** The items of a source, each of which is made in a turn of its own. A slow reader holds up no other: turns end before their item is taken. */
  items<T>(name: string, source: AsyncIterable<T>): AsyncIterable<T> {
    const reading = source[Symbol.asyncIterator]();
    return new Items(
      () => this.run(name, () => reading.next()),
      () => reading.return?.(),
    );
  }
}
