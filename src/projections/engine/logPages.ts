import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Position } from '../../stores/eventStore.ts';
import type { EventLog, RecordedEvent } from '../../stores/log/eventLog.ts';
import { PAGE_BYTES } from '../../stores/pages.ts';

/** Number of events that are folded together. */
export const PAGE_EVENTS = 500;
const CACHED_PAGES = 4;

type Page = Promise<readonly RecordedEvent[]>;

/** Pages of the log for builds that catch up. Those at the same place share a page. */
export class LogPages {
  readonly #log: Pick<EventLog, 'readAll'>;
  readonly #pages = new LRUCache<string, Page>({ max: CACHED_PAGES });

  constructor(log: Pick<EventLog, 'readAll'>) {
    this.#log = log;
  }

  /** The events after a position, at most a page. Empty at the head. The next page is read while this one is handled. */
  async after(position: Position | null): Page {
    // The embedded store reads without waiting, and a read model may have no event of many pages.
    await setImmediate();
    const page = await this.#page(position);
    const last = page.at(-1);
    if (last) this.#page(last.position).catch(() => undefined);
    return page;
  }

  /** Drops all cached events. Their decryption keys may have been destroyed since. */
  forget(): void {
    this.#pages.clear();
  }

  #page(after: Position | null): Page {
    const key = after ?? '';
    const cached = this.#pages.get(key);
    if (cached) return cached;
    const page = this.#log.readAll({ after, limit: PAGE_EVENTS, maxBytes: PAGE_BYTES });
    this.#pages.set(key, page);
    const forget = () => {
      if (this.#pages.get(key) === page) this.#pages.delete(key);
    };
    // Not the end of the log, and not a failed read.
    page.then((events) => events.length === 0 && forget(), forget);
    return page;
  }
}
