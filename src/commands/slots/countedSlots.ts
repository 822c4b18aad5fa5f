import type { Clock } from '../../clock.ts';

/** How long a count is used. */
const COUNTED_MILLISECONDS = 10_000;

interface CountedSlotsDeps {
  readonly limit: number;
  readonly clock: Clock;
  /** Counts the slots of all users at all nodes. May reject with `StoreUnavailable`. */
  readonly count: () => Promise<number>;
}

/**
 * The slots of all users where other nodes take and free them too: a count, and what this node has changed since. They are counted again every ten
 * seconds while slots are taken, and before a refusal.
 */
export class CountedSlots {
  readonly #deps: CountedSlotsDeps;
  #held = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  #counting: Promise<void> | null = null;

  constructor(deps: CountedSlotsDeps) {
    this.#deps = deps;
  }

  /** Call it after this node took slots, or with a negative number after it freed some. */
  add(slots: number): void {
    this.#held += slots;
  }

  /** Counts one more slot; `false` at the limit. Call `add(-1)` if the slot is not taken after all. Rejects with `StoreUnavailable`. */
  async reserve(): Promise<boolean> {
    await this.isFull();
    // Simultaneous callers get here one after the other.
    if (this.#held >= this.#deps.limit) return false;
    this.#held += 1;
    return true;
  }

  /** Only a hint. Rejects with `StoreUnavailable`. */
  async isFull(): Promise<boolean> {
    const { clock, limit } = this.#deps;
    // The last count serves until the next one is there.
    if (clock.monotonic() - this.#countedAt > COUNTED_MILLISECONDS) this.#recount().catch(() => undefined);
    if (this.#held < limit) return false;
    await this.#recount();
    return this.#held >= limit;
  }

  /** Of simultaneous callers, one counts. */
  #recount(): Promise<void> {
    this.#counting ??= this.#count().finally(() => {
      this.#counting = null;
    });
    return this.#counting;
  }

  async #count(): Promise<void> {
    this.#countedAt = this.#deps.clock.monotonic();
    const before = this.#held;
    const counted = await this.#deps.count();
    // The count may already include changes made during it. They are added again; the next count corrects that.
    this.#held = counted + (this.#held - before);
  }
}
