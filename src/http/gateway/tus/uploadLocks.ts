import type { Locker } from '@tus/server';

interface Held {
  readonly stop: () => void;
  readonly over: Promise<void>;
}

/**
 * One request at a time works on a resumable upload on this node. The next one stops it, because a client that comes back has lost its connection. Nodes are
 * kept apart by `Topics.resume`.
 */
export class UploadLocks {
  readonly #held = new Map<string, Held>();

  /** For one request; `stop` ends its work. */
  for(stop: () => void): Locker {
    return {
      newLock: (id) => {
        let end = (): void => {};
        return {
          lock: async () => {
            end = await this.#take(id, stop);
          },
          unlock: async () => end(),
        };
      },
    };
  }

  async #take(id: string, stop: () => void): Promise<() => void> {
    for (let held = this.#held.get(id); held; held = this.#held.get(id)) {
      held.stop();
      await held.over;
    }
    let end = (): void => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#held.set(id, { stop, over });
    return () => {
      this.#held.delete(id);
      end();
    };
  }
}
