import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { Notifier } from '../../supervision/notifier.ts';
import type { Progressed } from '../../supervision/retrying.ts';
import { supervise } from '../../supervision/supervise.ts';
import { type Position, StoreUnavailable } from '../eventStore.ts';
import { Tail } from '../log/tail.ts';
import { Away } from './away.ts';
import type { LogPage } from './logReading.ts';
import type { EventRecord } from './record.ts';

const KEPT = { items: 1_000, bytes: 8 * 1_048_576, bytesOf: ({ bytes }: EventRecord): number => bytes };

/**
 * Delay after a page at the head before the next one: more events are likely, and pages cost less than subscriptions. It doubles while each page brings
 * events, since a page of many costs hardly more than a page of one.
 */
const [FIRST_PACE_MILLISECONDS, LONGEST_PACE_MILLISECONDS] = [5, 20];
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
  #tail: Tail<EventRecord> | null = null;
  /** The last event read, including the store's own. */
  #read: Position | null = null;
  #atHead = false;

  constructor(deps: LogTailDeps) {
    this.#deps = deps;
  }

  /** Starts from a position at or near the head; a second call does nothing. */
  start(head: Position | null): void {
    if (this.#tail) return;
    this.#tail = new Tail(head, KEPT);
    this.#read = head;
    void this.#follow();
  }

  /** At most `limit` events after the position; `null` if it is before the first event kept. */
  after(position: Position | null, limit: number): readonly EventRecord[] | null {
    return this.#tail?.after(position, limit) ?? null;
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
    let pace = FIRST_PACE_MILLISECONDS;
    while (!signal.aborted) {
      const { records, last } = await page(this.#read);
      progressed();
      this.#add(records, last);
      if (!last) continue;
      if (records.length > 0) {
        await clock.pause(pace);
        pace = Math.min(2 * pace, LONGEST_PACE_MILLISECONDS);
        continue;
      }
      pace = FIRST_PACE_MILLISECONDS;
      if ((await this.#wait()) === 'dropped') await clock.pause(DROPPED_MILLISECONDS, signal);
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
    this.#tail?.add(ours);
    if (changed || ours.length > 0) this.#news.notify();
  }
}
