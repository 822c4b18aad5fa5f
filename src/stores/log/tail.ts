import type { Position } from '../eventStore.ts';

interface Bounds<Item> {
  /** Number of items kept. There may be up to twice as many for a while, so that trimming is rare. */
  readonly items: number;
  /** The same in bytes. */
  readonly bytes?: number;
  readonly bytesOf?: (item: Item) => number;
}

/** The last events of a log, in order and without gaps, for its followers. */
export class Tail<Item extends { readonly position: Position }> {
  readonly #bounds: Bounds<Item>;
  #items: Item[] = [];
  #bytes = 0;
  #floor: Position | null;

  /** Begins after `floor`; `null` is the beginning of the log. */
  constructor(floor: Position | null, bounds: Bounds<Item>) {
    this.#floor = floor;
    this.#bounds = bounds;
  }

  /** Position before the first event that is kept. */
  get floor(): Position | null {
    return this.#floor;
  }

  /** Position of the last event, or the floor. */
  get end(): Position | null {
    return this.#items.at(-1)?.position ?? this.#floor;
  }

  /** The first `limit` events after a position; `null` if the position is before the floor. */
  after(position: Position | null, limit: number): readonly Item[] | null {
    if (this.#floor !== null && (position === null || position < this.#floor)) return null;
    // Followers are mostly near the end.
    const first = position === null ? 0 : this.#items.findLastIndex((item) => item.position <= position) + 1;
    return this.#items.slice(first, first + limit);
  }

  add(items: readonly Item[]): void {
    this.#items.push(...items);
    this.#bytes += this.#sizeOf(items);
    const { items: most, bytes = Number.POSITIVE_INFINITY } = this.#bounds;
    if (this.#items.length > 2 * most || this.#bytes > 2 * bytes) this.#trim(most, bytes);
  }

  /** Drops all events; the floor is now the end. */
  clear(): void {
    this.#floor = this.end;
    this.#items = [];
    this.#bytes = 0;
  }

  #trim(most: number, bytes: number): void {
    let dropped = 0;
    while (this.#items.length - dropped > most || this.#bytes > bytes) {
      this.#bytes -= this.#sizeOf(this.#items.slice(dropped, dropped + 1));
      dropped += 1;
    }
    this.#floor = this.#items[dropped - 1]?.position ?? this.#floor;
    this.#items = this.#items.slice(dropped);
  }

  #sizeOf(items: readonly Item[]): number {
    const { bytesOf = () => 0 } = this.#bounds;
    return items.reduce((bytes, item) => bytes + bytesOf(item), 0);
  }
}
