import type { Clock } from '../../src/clock.ts';
import type { StreamNews } from '../../src/http/streams/streamNews.ts';

/** News that arrive when the test says so. */
export class ManualNews implements StreamNews {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  tell(id: string): void {
    for (const wake of this.#waiting.get(id) ?? []) wake();
  }

  listen(id: string) {
    let told = new AbortController();
    const wake = () => told.abort();
    this.#waiting.set(id, (this.#waiting.get(id) ?? new Set()).add(wake));
    return {
      next: async (milliseconds: number, signal: AbortSignal): Promise<boolean> => {
        await this.#clock.pause(milliseconds, AbortSignal.any([signal, told.signal]));
        signal.throwIfAborted();
        const news = told.signal.aborted;
        if (news) told = new AbortController();
        return news;
      },
      stop: () => void this.#waiting.get(id)?.delete(wake),
    };
  }
}
