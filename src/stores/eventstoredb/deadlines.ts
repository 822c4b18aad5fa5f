import type { Clock } from '../../clock.ts';

interface Watched {
  due: number;
  readonly expire: () => void;
}

/**
 * Time-outs for many calls, by one timer: neither the client nor a silent server ends a call. All last the same time, so the first that was set is the first
 * that is due.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #watched = new Set<Watched>();
  #running = false;

  constructor(clock: Clock, timeoutMilliseconds: number) {
    this.#clock = clock;
    this.#timeout = timeoutMilliseconds;
  }

  /** Calls `expire` after the time-out, unless the answer is taken back with `clear` first. */
  set(expire: () => void): Watched {
    const watched = { due: this.#clock.monotonic() + this.#timeout, expire };
    this.#watched.add(watched);
    if (!this.#running) void this.#run();
    return watched;
  }

  /** From now on again. */
  extend(watched: Watched): void {
    this.#watched.delete(watched);
    watched.due = this.#clock.monotonic() + this.#timeout;
    this.#watched.add(watched);
  }

  clear(watched: Watched): void {
    this.#watched.delete(watched);
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#watched.size > 0) {
      await this.#clock.pause(this.#timeout / 10);
      const now = this.#clock.monotonic();
      for (const watched of this.#watched) {
        if (watched.due > now) break;
        this.#watched.delete(watched);
        watched.expire();
      }
    }
    this.#running = false;
  }
}
