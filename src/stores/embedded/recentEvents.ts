import { LRUCache } from 'lru-cache';
import type { LoggedEvent } from './logReader.ts';

/** Events kept, those of 600 uploads with their webhooks; up to twice as many for a while, so that trimming is rare. */
const MAX_EVENTS = 4_000;
const MAX_BYTES = 8 * 1_048_576;
const MAX_REVISIONS = 20_000;

/**
 * The end of the log as this process wrote it: the last events, so that followers need not read and parse them each, and the revisions of recently
 * used event streams. This process is the only writer, so both stay correct.
 */
export class RecentEvents {
  /** Without gaps, by rowid. */
  #events: LoggedEvent[] = [];
  #bytes: number[] = [];
  #sum = 0;
  /** The same events by event stream, in order. */
  readonly #byStream = new Map<string, LoggedEvent[]>();
  readonly #revisions = new LRUCache<string, number>({ max: MAX_REVISIONS });

  /** The events of one append. `bytes` is the size of the whole append. */
  add(eventStream: string, events: readonly LoggedEvent[], bytes: number): void {
    const [first] = events;
    if (!first) return;
    const next = this.#events.at(-1);
    // A repeated append is already in place.
    if (next && first.rowid <= next.rowid) return;
    if (next && first.rowid !== next.rowid + 1) this.#drop(this.#events.length);
    const ofStream = this.#byStream.get(eventStream) ?? [];
    this.#byStream.set(eventStream, ofStream);
    for (const event of events) {
      this.#events.push(event);
      ofStream.push(event);
      this.#bytes.push(bytes / events.length);
    }
    this.#sum += bytes;
    if (this.#events.length > 2 * MAX_EVENTS) this.#drop(this.#events.length - MAX_EVENTS);
    while (this.#sum > MAX_BYTES && this.#events.length > 0) this.#drop(Math.ceil(this.#events.length / 2));
  }

  /** The events after one rowid up to another; `null` if some are not cached. */
  between(after: number, through: number): readonly LoggedEvent[] | null {
    const first = this.#events[0]?.rowid;
    const last = this.#events.at(-1)?.rowid;
    if (first === undefined || last === undefined || after + 1 < first || through > last) return null;
    return this.#events.slice(after + 1 - first, through + 1 - first);
  }

  /** The events of an event stream from a revision to its end; `null` if some are not in the cache. */
  ofStream(eventStream: string, from: number): readonly LoggedEvent[] | null {
    const end = this.#revisions.get(eventStream);
    const events = this.#byStream.get(eventStream) ?? [];
    const [first] = events;
    if (end === undefined || from > end || !first) return null;
    const begin = Number(first.event.revision);
    return begin <= from && end - begin === events.length - 1 ? events.slice(from - begin) : null;
  }

  /** Sets the last revision of an event stream; -1 if it is empty. */
  reached(eventStream: string, revision: number): void {
    if (revision >= (this.#revisions.get(eventStream) ?? -1)) this.#revisions.set(eventStream, revision);
  }

  /** Forgets the last revision of an event stream. */
  forget(eventStream: string): void {
    this.#revisions.delete(eventStream);
  }

  /** Whether the event stream certainly ends before `revision`. */
  endsBefore(eventStream: string, revision: number): boolean {
    const known = this.#revisions.get(eventStream);
    return known !== undefined && known < revision;
  }

  #drop(count: number): void {
    for (const { event } of this.#events.splice(0, count)) {
      const ofStream = this.#byStream.get(event.eventStream);
      ofStream?.shift();
      if (ofStream?.length === 0) this.#byStream.delete(event.eventStream);
    }
    for (const bytes of this.#bytes.splice(0, count)) this.#sum -= bytes;
  }
}
