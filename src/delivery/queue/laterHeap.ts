interface Entry<T> {
  readonly at: number;
  readonly item: T;
}

/** Items that are due later, the earliest first: a binary heap. */
export class LaterHeap<T> {
  readonly #entries: Entry<T>[] = [];

  get length(): number {
    return this.#entries.length;
  }

  /** Time of the earliest; `null` for an empty heap. */
  get nextAt(): number | null {
    return this.#entries[0]?.at ?? null;
  }

  push(at: number, item: T): void {
    const entries = this.#entries;
    let i = entries.push({ at, item }) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (this.#at(parent) <= at) break;
      this.#swap(i, parent);
      i = parent;
    }
  }

  /** Removes and returns the earliest item if it is due at `now`. */
  pop(now: number): T | undefined {
    const entries = this.#entries;
    const first = entries[0];
    if (!first || first.at > now) return undefined;
    const last = entries.pop();
    if (last && entries.length > 0) {
      entries[0] = last;
      this.#sink();
    }
    return first.item;
  }

  #sink(): void {
    for (let i = 0; ; ) {
      const left = 2 * i + 1;
      const smaller = this.#at(left + 1) < this.#at(left) ? left + 1 : left;
      if (this.#at(i) <= this.#at(smaller)) return;
      this.#swap(i, smaller);
      i = smaller;
    }
  }

  #at(i: number): number {
    return this.#entries[i]?.at ?? Number.POSITIVE_INFINITY;
  }

  #swap(i: number, j: number): void {
    const [a, b] = [this.#entries[i], this.#entries[j]];
    if (!a || !b) return;
    this.#entries[i] = b;
    this.#entries[j] = a;
  }
}
