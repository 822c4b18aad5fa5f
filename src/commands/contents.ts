import { LRUCache } from 'lru-cache';
import { HEAVY_BYTES, weightOf } from '../weight.ts';

/** Weak references take some bytes each. */
const MOST = 4_096;
/** Memory of the contents that are kept although no caller uses them. Heavy ones do not push out light ones. */
const [LIGHT_BYTES, HEAVY_ONES_BYTES] = [4_194_304, 8_388_608];

/** Contents of events, by event. Hundreds of open uploads may use the same one, and each would hold a copy. */
export class Contents {
  readonly #light = new LRUCache<string, object>({ maxSize: LIGHT_BYTES, sizeCalculation: weightOf });
  readonly #heavy = new LRUCache<string, object>({ maxSize: HEAVY_ONES_BYTES, sizeCalculation: weightOf });
  readonly #used = new LRUCache<string, WeakRef<object>>({ max: MOST });
  readonly #reading = new Map<string, Promise<unknown>>();

  /** Always give the same `read` for an event. `null` if the event has no content. */
  async get<Content extends object>(event: string, read: () => Promise<Content | null>): Promise<Content | null> {
    const known = (this.#light.get(event) ?? this.#heavy.get(event) ?? this.#used.get(event)?.deref()) as Content | undefined;
    if (known) return known;
    const begun = this.#reading.get(event) as Promise<Content | null> | undefined;
    if (begun) return begun;
    const reading = read();
    this.#reading.set(event, reading);
    try {
      const content = await reading;
      if (content) {
        (weightOf(content) > HEAVY_BYTES ? this.#heavy : this.#light).set(event, content);
        this.#used.set(event, new WeakRef(content));
      }
      return content;
    } finally {
      this.#reading.delete(event);
    }
  }
}
