import { LRUCache } from 'lru-cache';
import { HEAVY_BYTES, weightOf } from '../weight.ts';

/** Weak references take some bytes each. */
const MOST = 4_096;
/** Memory of the contents that are kept although no caller uses them. A heavy one is not kept. */
const RECENT_BYTES = 4_194_304;

/** Contents of events, by event. Hundreds of open uploads may use the same one, and each would hold a copy. */
export class Contents {
  readonly #recent = new LRUCache<string, object>({
    maxSize: RECENT_BYTES,
    maxEntrySize: HEAVY_BYTES,
    sizeCalculation: weightOf,
  });
  readonly #used = new LRUCache<string, WeakRef<object>>({ max: MOST });
  readonly #reading = new Map<string, Promise<unknown>>();

  /** `read` must give the same kind of content for an event each time. `null` if there is none. */
  async get<Content extends object>(event: string, read: () => Promise<Content | null>): Promise<Content | null> {
    const known = (this.#recent.get(event) ?? this.#used.get(event)?.deref()) as Content | undefined;
    if (known) return known;
    const begun = this.#reading.get(event) as Promise<Content | null> | undefined;
    if (begun) return begun;
    const reading = read();
    this.#reading.set(event, reading);
    try {
      const content = await reading;
      if (content) {
        this.#recent.set(event, content);
        this.#used.set(event, new WeakRef(content));
      }
      return content;
    } finally {
      this.#reading.delete(event);
    }
  }
}
