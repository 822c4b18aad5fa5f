import { setImmediate } from 'node:timers/promises';
import type { ReadModels } from '../../projections/readModels.ts';

/** Looks of those who wait for the same thing. All of them hear news in one turn of the event loop, and one read is enough for them. */
export class SharedLooks<T> {
  readonly #ofModels = new WeakMap<ReadModels, Map<string, Promise<T>>>();

  /** The result of `read`, which begins after this turn of the event loop. Shared by all calls in this turn with the same `key`. */
  look(readModels: ReadModels, key: string, read: () => Promise<T>): Promise<T> {
    const starting = this.#ofModels.get(readModels) ?? new Map<string, Promise<T>>();
    this.#ofModels.set(readModels, starting);
    const begun = async (): Promise<T> => {
      await setImmediate();
      starting.delete(key);
      return read();
    };
    const look = starting.get(key) ?? begun();
    starting.set(key, look);
    return look;
  }
}
