import { LRUCache } from 'lru-cache';
import type { LoggedEvent } from './logReader.ts';

/** Events kept; up to twice as many for a while, so that trimming is rare. */
const MAX_EVENTS = 1_000;
const MAX_BYTES = 8 * 1_048_576;
const MAX_REVISIONS = 20_000;
/** Most events scanned for those of one event stream: beyond that, a read by the index is as fast. */
const NEAR = 400;

/**
 * The end of the log as this process wrote it: the last events, so that followers need not read and parse them each, and the revisions of recently
 * used event streams. This process is the only writer, so both stay correct.
 */
export class RecentEvents {
  /** Without gaps, by rowid. */
  #events: LoggedEvent[] = [];
  #bytes: number[] = [];
  #sum = 0;
  readonly #revisions = new LRUCache<string, number>({ max: MAX_REVISIONS });

  /** `bytes` is the size of the whole append. */
  add(events: readonly LoggedEvent[], bytes: number): void {
    const [first] = events;
    if (!first) return;
    const next = this.#events.at(-1);
    // A repeated append is already in place.
    if (next && first.rowid <= next.rowid) return;
    if (next && first.rowid !== next.rowid + 1) this.#drop(this.#events.length);
    for (const event of events) {
      this.#events.push(event);
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

  /** The events of an event stream from a revision to its end; `null` if some are not near the end of the cache. */
  ofStream(eventStream: string, from: number): readonly LoggedEvent[] | null {
    let due = this.#revisions.get(eventStream);
    if (due === undefined || from > due) return null;
    const found: LoggedEvent[] = [];
    const last = this.#events.length - 1;
    for (let i = last; i >= 0 && i > last - NEAR; i--) {
      const logged = this.#events[i];
      if (logged?.event.eventStream !== eventStream) continue;
      if (Number(logged.event.revision) !== due) return null;
      found.push(logged);
      if (due === from) return found.reverse();
      due -= 1;
    }
    return null;
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
    this.#events.splice(0, count);
    for (const bytes of this.#bytes.splice(0, count)) this.#sum -= bytes;
  }
}
