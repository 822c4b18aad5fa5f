import { setImmediate } from 'node:timers/promises';
import type { EventText, StoredEvent } from '../eventStore.ts';
import type { EventFilter } from '../log/eventFilter.ts';
import type { LoggedEvent, LoggedPage, LoggedRow, LogReader, Range } from './logReader.ts';
import type { Retention } from './retention.ts';

/** Events per page; fewer of large ones. */
export const PAGE = 100;
/** Positions scanned per step of a filtered read, however few match. */
export const WINDOW = 2_000;
export const END = Number.MAX_SAFE_INTEGER;

type BoundedRange = Range & { readonly maxBytes?: number | undefined };

/** Runs a read on the connection to the log, and translates its errors. */
type Read = <T>(read: (reader: LogReader) => T) => T;

/**
 * Reads of a range of the log, page by page until its limit, its bytes or its end. Between two pages, other work runs. Events whose retention is over
 * are left out.
 */
export class PagedReads {
  readonly #read: Read;
  readonly #retention: Retention;

  constructor(read: Read, retention: Retention) {
    this.#read = read;
    this.#retention = retention;
  }

  /** Events of one event stream, by revision. */
  stream(eventStream: string, range: BoundedRange): Promise<StoredEvent[]> {
    return this.#pages(range, (reader, step) => reader.stream(eventStream, step), revisionOf, eventOf);
  }

  /** Events of the whole log, by rowid. */
  all(range: BoundedRange): Promise<StoredEvent[]> {
    return this.#pages(range, (reader, step) => reader.all(step), rowidOf, eventOf);
  }

  /** As `all`, without parsing the events. */
  texts(range: BoundedRange): Promise<EventText[]> {
    return this.#pages(range, (reader, step) => reader.all(step), rowidOf, textOf);
  }

  /** Matching events, by rowid. Scans one window at a time, however few match. */
  async selected(where: EventFilter, { maxBytes = END, ...range }: BoundedRange): Promise<StoredEvent[]> {
    const events: StoredEvent[] = [];
    let bytes = 0;
    const forwards = range.direction === 'forwards';
    const window = where.eventStream === undefined ? WINDOW : END;
    let { from, to } = range;
    while (from <= to && events.length < range.limit && (bytes < maxBytes || events.length === 0)) {
      const [low, high] = forwards ? [from, Math.min(to, from + window - 1)] : [Math.max(from, to - window + 1), to];
      const limit = Math.min(PAGE, range.limit - events.length);
      const step: Range = { from: low, to: high, limit, direction: range.direction };
      const page = this.#read((reader) => reader.selected(where, step));
      events.push(...this.#kept(page.rows).map(eventOf));
      bytes += bytesOf(page.rows);
      const last = page.isLast ? undefined : page.rows.at(-1);
      if (forwards) from = (last?.rowid ?? high) + 1;
      else to = (last?.rowid ?? low) - 1;
      await setImmediate();
    }
    return events;
  }

  async #pages<Item>(
    { maxBytes = END, ...range }: BoundedRange,
    read: (reader: LogReader, step: Range) => LoggedPage,
    keyOf: (logged: LoggedEvent) => number,
    itemOf: (row: LoggedRow) => Item,
  ): Promise<Item[]> {
    const items: Item[] = [];
    let bytes = 0;
    let { from, to } = range;
    for (;;) {
      const limit = Math.min(PAGE, range.limit - items.length);
      if (limit <= 0 || from > to) return items;
      const page = this.#read((reader) => read(reader, { ...range, from, to, limit }));
      items.push(...this.#kept(page.rows).map(itemOf));
      bytes += bytesOf(page.rows);
      const last = page.rows.at(-1);
      if (page.isLast || !last || (bytes >= maxBytes && items.length > 0)) return items;
      if (range.direction === 'forwards') from = keyOf(last) + 1;
      else to = keyOf(last) - 1;
      if (items.length < range.limit) await setImmediate();
    }
  }

  #kept(rows: readonly LoggedRow[]): LoggedRow[] {
    return rows.filter(({ eventStream, recordedAt }) => this.#retention.keeps(eventStream, recordedAt));
  }
}

const bytesOf = (rows: readonly { readonly bytes: number }[]): number => rows.reduce((sum, { bytes }) => sum + bytes, 0);
const revisionOf = ({ revision }: LoggedEvent): number => revision;
const rowidOf = ({ rowid }: LoggedEvent): number => rowid;
const eventOf = ({ event }: LoggedRow): StoredEvent => event;
const textOf = ({ text }: LoggedRow): EventText => text;
