import { LRUCache } from 'lru-cache';

/** Weak references of some bytes each. */
const MOST = 4_096;

/** Contents of events that are in use, by event. Hundreds of open uploads may use the same one, and each would hold a copy. */
export class Contents {
  readonly #used = new LRUCache<string, WeakRef<object>>({ max: MOST });
  readonly #reading = new Map<string, Promise<unknown>>();

  /** `read` must give the same kind of content for an event each time. `null` if there is none. */
  async get<Content extends object>(event: string, read: () => Promise<Content | null>): Promise<Content | null> {
    const used = this.#used.get(event)?.deref() as Content | undefined;
    if (used) return used;
    const begun = this.#reading.get(event) as Promise<Content | null> | undefined;
    if (begun) return begun;
    const reading = read();
    this.#reading.set(event, reading);
    try {
      const content = await reading;
      if (content) this.#used.set(event, new WeakRef(content));
      return content;
    } finally {
      this.#reading.delete(event);
    }
  }
}
