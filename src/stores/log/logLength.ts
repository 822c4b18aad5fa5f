import type { EventStore, Position, StoredEvent } from '../eventStore.ts';
import { isSealed, SEALS } from '../integrity/seals.ts';
import { eventStreamPages, logPages, upTo } from '../pages.ts';

interface Mark {
  readonly position: Position;
  /** Events of the log up to the position. */
  readonly events: number;
}

type CountedStore = Pick<EventStore, 'positionsHaveGaps' | 'readStream' | 'readAll'>;

const PAGE = 500;
/** Each seal may take 700 kB. */
const SEALS_PAGE = 20;
/** Places of the log, and events at each, that are read to see how many events the seals leave out. */
const [SAMPLES, SAMPLE_EVENTS] = [16, 200];

/** Sort key of a position, which grows with the log: its first run of digits. */
export const ordinal = (position: string): number => Number(/\d+/.exec(position)?.[0] ?? Number.NaN);

/**
 * The length of the log in events, for progress. If a store's positions have gaps, it is estimated in the background without reading the whole log: each
 * seal says how many events it covers, samples show how many it leaves out (deliveries), and the events after the last seal are counted. If positions
 * count events, nothing is read.
 */
export class LogLength {
  readonly #estimated: boolean;
  #marks: Mark[] = [];
  #total: number | null = null;

  private constructor(estimated: boolean) {
    this.#estimated = estimated;
  }

  /** Measures up to `through`. The signal stops it; unknown parts stay unknown. */
  static measure(store: CountedStore, through: Position | null, signal: AbortSignal): LogLength {
    const length = new LogLength(store.positionsHaveGaps === true);
    if (through === null) length.#total = 0;
    else if (length.#estimated) void length.#estimate(store, through, signal).catch(() => undefined);
    else length.#total = ordinal(through);
    return length;
  }

  /** Total number of events; `null` until it is known. */
  get total(): number | null {
    return this.#total;
  }

  /** Events up to a position; `null` until that part is known. */
  eventsUpTo(position: string | null): number | null {
    if (position === null) return 0;
    if (!this.#estimated) return ordinal(position);
    let [low, high] = [0, this.#marks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#marks[middle]?.position ?? '') < position) low = middle + 1;
      else high = middle;
    }
    const next = this.#marks[low];
    return next ? between(this.#marks[low - 1], next, position) : this.#total;
  }

  /** 0 to 1; `null` until the events are counted. */
  share(position: string | null): number | null {
    const events = this.eventsUpTo(position);
    if (events === null || this.#total === null) return null;
    return this.#total === 0 ? 1 : Math.min(1, events / this.#total);
  }

  async #estimate(store: CountedStore, through: Position, signal: AbortSignal): Promise<void> {
    const marks = await sealedUpTo(store, through, signal);
    const factor = await eventsForEachSealed(store, marks);
    this.#marks = marks.map(({ position, events }) => ({ position, events: Math.round(events * factor) }));
    const last = this.#marks.at(-1);
    let events = last?.events ?? 0;
    for await (const page of upTo(through, logPages(store, { after: last?.position ?? null, limit: PAGE }))) {
      if (signal.aborted) return;
      events += page.length;
      this.#marks.push({ position: page.at(-1)?.position ?? through, events });
    }
    this.#total = events;
  }
}

/** By position, in proportion. */
const between = (before: Mark | undefined, next: Mark, position: string): number => {
  const { events, start } = before ? { events: before.events, start: ordinal(before.position) } : { events: 0, start: 0 };
  const share = (ordinal(position) - start) / (ordinal(next.position) - start);
  return Math.round(events + (next.events - events) * Math.min(1, share));
};

/** A mark for each seal, with the sealed events up to it. */
const sealedUpTo = async (store: CountedStore, through: Position, signal: AbortSignal): Promise<Mark[]> => {
  const marks: Mark[] = [];
  let events = 0;
  for await (const seals of eventStreamPages(store, SEALS, SEALS_PAGE)) {
    signal.throwIfAborted();
    for (const seal of seals) {
      if (seal.position > through) return marks;
      events += countOf(seal);
      marks.push({ position: seal.position, events });
    }
  }
  return marks;
};

/** A damaged seal covers nothing here: `audit verify` reports it. */
const countOf = ({ data: { count } }: StoredEvent): number => (typeof count === 'number' && count > 0 ? count : 0);

const eventsForEachSealed = async (store: CountedStore, marks: readonly Mark[]): Promise<number> => {
  let [all, sealed] = [0, 0];
  const apart = Math.max(1, Math.ceil(marks.length / SAMPLES));
  for (let n = marks.length - 1; n >= 0; n -= apart) {
    const after = marks[n]?.position ?? null;
    const found = await store.readAll({ after, limit: SAMPLE_EVENTS, direction: 'backwards' });
    all += found.length;
    sealed += found.filter(({ eventStream }) => isSealed(eventStream)).length;
  }
  return sealed === 0 ? 1 : all / sealed;
};
