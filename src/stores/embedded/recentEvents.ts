import { LRUCache } from 'lru-cache';
import type { LoggedEvent } from './logReader.ts';

/** Kept at most; twice as many for a while, so that dropping is seldom. */
const MAX_EVENTS = 1_000;
const MAX_BYTES = 8 * 1_048_576;
const MAX_REVISIONS = 20_000;
/** Looked through for the events of one event stream, at most: beyond that a read by its index is as fast. */
const NEAR = 400;

/**
 * What this process knows of the log's end because it has written it: the last events, so that those who follow the log need not read and parse
 * them each for itself, and the revisions of event streams touched lately. The writer is the only one, so both stay true.
 */
export class RecentEvents {
  /** Without gaps, by rowid. */
  #events: LoggedEvent[] = [];
  #bytes: number[] = [];
  #sum = 0;
  readonly #revisions = new LRUCache<string, number>({ max: MAX_REVISIONS });

  /** What was stored by one append; `bytes` of it all. */
  add(events: readonly LoggedEvent[], bytes: number): void {
    const [first] = events;
    if (!first) return;
    const next = this.#events.at(-1);
    // An append that was repeated is in its place already.
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

  /** The events after one rowid up to another, `null` when they are not all here. */
  between(after: number, through: number): readonly LoggedEvent[] | null {
    const first = this.#events[0]?.rowid;
    const last = this.#events.at(-1)?.rowid;
    if (first === undefined || last === undefined || after + 1 < first || through > last) return null;
    return this.#events.slice(after + 1 - first, through + 1 - first);
  }

  /** The events of an event stream from a revision to its end, `null` when they are not all near the end of what is here. */
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

  /** An event stream has come to this revision; -1: it is empty. */
  reached(eventStream: string, revision: number): void {
    if (revision >= (this.#revisions.get(eventStream) ?? -1)) this.#revisions.set(eventStream, revision);
  }

  /** Where it ends is not known any more. */
  forget(eventStream: string): void {
    this.#revisions.delete(eventStream);
  }

  /** Whether there is certainly nothing at `revision` or behind it. */
  endsBefore(eventStream: string, revision: number): boolean {
    const known = this.#revisions.get(eventStream);
    return known !== undefined && known < revision;
  }

  #drop(count: number): void {
    this.#events.splice(0, count);
    for (const bytes of this.#bytes.splice(0, count)) this.#sum -= bytes;
  }
}
