/**
 * Waiting work, taken in turns between its owners, and between the kinds of work of one owner: a thousand jobs do not keep out a single one.
 * Work of one kind is taken in the order in which it came.
 */
export class FairQueue<T> {
  readonly #owners = new Map<string, Map<string, T[]>>();
  #size = 0;

  get empty(): boolean {
    return this.#size === 0;
  }

  get size(): number {
    return this.#size;
  }

  add(owner: string, item: T, kind = ''): void {
    const kinds = this.#owners.get(owner) ?? new Map<string, T[]>();
    this.#owners.set(owner, kinds);
    const items = kinds.get(kind);
    if (items) items.push(item);
    else kinds.set(kind, [item]);
    this.#size++;
  }

  /** Takes out one item, if it still waits. */
  remove(owner: string, item: T, kind = ''): void {
    const kinds = this.#owners.get(owner);
    const items = kinds?.get(kind);
    const at = items?.indexOf(item) ?? -1;
    if (!kinds || !items || at < 0) return;
    items.splice(at, 1);
    this.#size--;
    if (items.length === 0) kinds.delete(kind);
    if (kinds.size === 0) this.#owners.delete(owner);
  }

  /** Whether anything waits that `take` would give. */
  has(may: (owner: string) => boolean, ready?: (item: T) => boolean): boolean {
    return this.#next(may, ready) !== null;
  }

  /** The smallest `weight` of an owner with waiting work; `Infinity` if nothing waits. */
  least(weight: (owner: string) => number): number {
    let least = Number.POSITIVE_INFINITY;
    for (const owner of this.#owners.keys()) least = Math.min(least, weight(owner));
    return least;
  }

  /** The item whose turn it is, of the owners that `may` accepts and the kinds whose first item is `ready` (default: all). */
  take(may?: (owner: string) => boolean, ready?: (item: T) => boolean): T | undefined {
    const next = this.#next(may, ready);
    if (!next) return undefined;
    const { owner, kinds, kind, items } = next;
    this.#size--;
    const item = items.shift();
    // The kind and its owner go to the end of the queue until their next turn.
    kinds.delete(kind);
    if (items.length > 0) kinds.set(kind, items);
    this.#owners.delete(owner);
    if (kinds.size > 0) this.#owners.set(owner, kinds);
    return item;
  }

  #next(may: (owner: string) => boolean = () => true, ready: (item: T) => boolean = () => true) {
    for (const [owner, kinds] of this.#owners) {
      if (!may(owner)) continue;
      for (const [kind, items] of kinds) {
        const [first] = items;
        if (first !== undefined && ready(first)) return { owner, kinds, kind, items };
      }
    }
    return null;
  }
}
