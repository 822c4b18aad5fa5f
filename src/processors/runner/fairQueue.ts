/** Waiting work, taken in turns between its owners, so that one with a thousand jobs does not keep out one with a single job. */
export class FairQueue<T> {
  readonly #owners = new Map<string, T[]>();

  get empty(): boolean {
    return this.#owners.size === 0;
  }

  get size(): number {
    let size = 0;
    for (const items of this.#owners.values()) size += items.length;
    return size;
  }

  add(owner: string, item: T): void {
    const items = this.#owners.get(owner);
    if (items) items.push(item);
    else this.#owners.set(owner, [item]);
  }

  /** Takes out one item, if it still waits. */
  remove(owner: string, item: T): void {
    const items = this.#owners.get(owner);
    const at = items?.indexOf(item) ?? -1;
    if (!items || at < 0) return;
    items.splice(at, 1);
    if (items.length === 0) this.#owners.delete(owner);
  }

  /** Whether anything waits of an owner that `may` accepts. */
  has(may: (owner: string) => boolean): boolean {
    for (const owner of this.#owners.keys()) if (may(owner)) return true;
    return false;
  }

  /** The smallest `weight` of an owner with waiting work; `Infinity` if nothing waits. */
  least(weight: (owner: string) => number): number {
    let least = Number.POSITIVE_INFINITY;
    for (const owner of this.#owners.keys()) least = Math.min(least, weight(owner));
    return least;
  }

  /** Of the owners that `may` accepts (default: all), the one whose turn it is. */
  take(may: (owner: string) => boolean = () => true): T | undefined {
    for (const [owner, items] of this.#owners) if (may(owner)) return this.#takeFrom(owner, items);
    return undefined;
  }

  #takeFrom(owner: string, items: T[]): T | undefined {
    const item = items.shift();
    // Goes to the end of the queue until its next turn.
    this.#owners.delete(owner);
    if (items.length > 0) this.#owners.set(owner, items);
    return item;
  }
}
