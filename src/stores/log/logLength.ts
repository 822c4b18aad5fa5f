import type { EventStore, Position } from '../eventStore.ts';

interface Mark {
  readonly position: Position;
  /** Events of the log up to the position. */
  readonly events: number;
}

/** Sort key of a position, which grows with the log: its first run of digits. */
export const ordinal = (position: string): number => Number(/\d+/.exec(position)?.[0] ?? Number.NaN);

/**
 * The length of the log in events, for progress. If a store's positions have gaps, the events are counted in the background; if positions count
 * events, nothing is read.
 */
export class LogLength {
  readonly #counted: boolean;
  readonly #marks: Mark[] = [];
  #total: number | null = null;

  private constructor(counted: boolean) {
    this.#counted = counted;
  }

  /** Counts up to `through`. The signal stops it; unknown parts stay unknown. */
  static measure(store: Pick<EventStore, 'countEvents'>, through: Position | null, signal: AbortSignal): LogLength {
    const length = new LogLength(store.countEvents !== undefined);
    if (through === null) length.#total = 0;
    else if (store.countEvents) void length.#count(store.countEvents(through), signal).catch(() => undefined);
    else length.#total = ordinal(through);
    return length;
  }

  /** Total number of events; `null` until they are counted. */
  get total(): number | null {
    return this.#total;
  }

  /** Events up to a position, to the nearest page; `null` until that part is counted. */
  eventsUpTo(position: string | null): number | null {
    if (position === null) return 0;
    if (!this.#counted) return ordinal(position);
    let [low, high] = [0, this.#marks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#marks[middle]?.position ?? '') < position) low = middle + 1;
      else high = middle;
    }
    return this.#marks[low]?.events ?? this.#total;
  }

  /** 0 to 1; `null` until the events are counted. */
  share(position: string | null): number | null {
    const events = this.eventsUpTo(position);
    if (events === null || this.#total === null) return null;
    return this.#total === 0 ? 1 : Math.min(1, events / this.#total);
  }

  async #count(pages: AsyncIterable<Mark>, signal: AbortSignal): Promise<void> {
    let events = 0;
    for await (const page of pages) {
      if (signal.aborted) return;
      events += page.events;
      this.#marks.push({ position: page.position, events });
    }
    this.#total = events;
  }
}
