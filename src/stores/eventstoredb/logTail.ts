import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { Notifier } from '../../supervision/notifier.ts';
import type { Progressed } from '../../supervision/retrying.ts';
import { supervise } from '../../supervision/supervise.ts';
import { type Position, StoreUnavailable } from '../eventStore.ts';
import { Away } from './away.ts';
import type { LogPage } from './logReading.ts';
import type { EventRecord } from './record.ts';

/** Events kept; up to twice as many for a while, so that trimming is rare. */
const KEPT_EVENTS = 1_000;
const KEPT_BYTES = 8 * 1_048_576;

/** Delay after a page at the head before the next one: more events are likely, and pages cost less than subscriptions. */
const PACE_MILLISECONDS = 5;
/** Delay after a dropped live subscription, whose work pages can do meanwhile. */
const DROPPED_MILLISECONDS = 50;

interface LogTailDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** A page of the whole log after a position. */
  readonly page: (after: Position | null) => Promise<LogPage>;
  /** Waits until something comes after a position, or the signal aborts. */
  readonly wakeUp: (after: Position | null, signal: AbortSignal) => Promise<'news' | 'dropped' | 'nothing'>;
  /** After this long without news a page is read anyway, which detects a silent server. */
  readonly patienceMilliseconds: number;
  readonly signal: AbortSignal;
}

/**
 * The end of the log, read once for all followers in this process: pages while events arrive, a live subscription only as a wake-up. Keeps the last
 * events, so that a follower reads its own pages only while it is further behind.
 */
export class LogTail {
  readonly #deps: LogTailDeps;
  readonly #news = new Notifier();
  /** Events of the log in order, without gaps, after `#from` and up to `#read`. */
  #records: EventRecord[] = [];
  #bytes = 0;
  #from: Position | null = null;
  /** The last event read, including the store's own. */
  #read: Position | null = null;
  #atHead = false;
  #running = false;

  constructor(deps: LogTailDeps) {
    this.#deps = deps;
  }

  /** Starts from a position at or near the head; a second call does nothing. */
  start(head: Position | null): void {
    if (this.#running) return;
    this.#running = true;
    this.#from = this.#read = head;
    void this.#follow();
  }

  /** At most `limit` events after the position; `null` if it is before the first event kept. */
  after(position: Position | null, limit: number): readonly EventRecord[] | null {
    if (!this.#running || (this.#from !== null && (position === null || position < this.#from))) return null;
    const last = this.#records.at(-1);
    if (!last || (position !== null && last.position <= position)) return [];
    const start = position === null ? 0 : firstAfter(this.#records, position);
    return this.#records.slice(start, start + limit);
  }

  /** Whether everything known to be in the log has been read. */
  get atHead(): boolean {
    return this.#atHead;
  }

  /** Resolves when something new has been read. */
  news(signal: AbortSignal): Promise<void> {
    return this.#news.wait({ signal });
  }

  async #follow(): Promise<void> {
    const { clock, logger, signal } = this.#deps;
    const onFailure = (error: unknown) => {
      // The connection logs that the server is away.
      if (!(error instanceof StoreUnavailable || error instanceof Away)) logger.error({ err: error }, 'reading the end of the log failed');
    };
    await supervise((progressed) => this.#readOn(progressed), { clock, signal, onFailure });
    this.#news.notify();
  }

  async #readOn(progressed: Progressed): Promise<void> {
    const { clock, page, signal } = this.#deps;
    while (!signal.aborted) {
      const { records, last } = await page(this.#read);
      progressed();
      this.#add(records, last);
      if (!last) continue;
      if (records.length > 0) await clock.pause(PACE_MILLISECONDS);
      else if ((await this.#wait()) === 'dropped') await clock.pause(DROPPED_MILLISECONDS, signal);
    }
  }

  async #wait(): Promise<'news' | 'dropped' | 'nothing'> {
    const { clock, wakeUp, patienceMilliseconds, signal } = this.#deps;
    const over = new AbortController();
    const woken = wakeUp(this.#read, AbortSignal.any([signal, over.signal]));
    const stop = new AbortController();
    woken.finally(() => stop.abort()).catch(() => undefined);
    await clock.pause(patienceMilliseconds, stop.signal);
    over.abort();
    return woken;
  }

  #add(records: readonly EventRecord[], last: boolean): void {
    const changed = last && !this.#atHead;
    this.#read = records.at(-1)?.position ?? this.#read;
    this.#atHead = last;
    const ours = records.filter(({ system }) => !system);
    for (const { bytes } of ours) this.#bytes += bytes;
    this.#records.push(...ours);
    if (this.#records.length > 2 * KEPT_EVENTS || this.#bytes > 2 * KEPT_BYTES) this.#trim();
    if (changed || ours.length > 0) this.#news.notify();
  }

  #trim(): void {
    let dropped = 0;
    while (this.#records.length - dropped > KEPT_EVENTS || this.#bytes > KEPT_BYTES) {
      this.#bytes -= this.#records[dropped]?.bytes ?? 0;
      dropped += 1;
    }
    this.#from = this.#records[dropped - 1]?.position ?? this.#from;
    this.#records = this.#records.slice(dropped);
  }
}

/** Index of the first record after the position. */
const firstAfter = (records: readonly EventRecord[], position: Position): number => {
  let [low, high] = [0, records.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const record = records[middle];
    if (record && record.position <= position) low = middle + 1;
    else high = middle;
  }
  return low;
};
