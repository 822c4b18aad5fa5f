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
}
