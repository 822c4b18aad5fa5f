import type { Clock } from '../../clock.ts';
import { Away } from './away.ts';

interface Watched {
  due: number;
  readonly expire: (why: Away) => void;
}

/** Longest pause between two checks. */
const LOOK_MILLISECONDS = 500;

/**
 * Time-outs for many calls with one timer, since neither the client nor a silent server ends a call. All have the same length, so the oldest call
 * is due first.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #watched = new Set<Watched>();
  /** Called at each check while calls wait. */
  onLook: () => void = () => undefined;
  #running = false;

  constructor(clock: Clock, timeoutMilliseconds: number) {
    this.#clock = clock;
    this.#timeout = timeoutMilliseconds;
  }

  /** Calls `expire` after the time-out, unless `clear` comes first. */
  set(expire: (why: Away) => void): Watched {
    const watched = { due: this.#clock.monotonic() + this.#timeout, expire };
    this.#watched.add(watched);
    if (!this.#running) void this.#run();
    return watched;
  }

  /** Restarts the time-out: part of the answer arrived. */
  extend(watched: Watched): void {
    this.#watched.delete(watched);
    watched.due = this.#clock.monotonic() + this.#timeout;
    this.#watched.add(watched);
  }

  clear(watched: Watched): void {
    this.#watched.delete(watched);
  }

  /** How long the oldest call has waited, in milliseconds; 0 if none waits. */
  longestWait(): number {
    const [first] = this.#watched;
    return first ? this.#clock.monotonic() - (first.due - this.#timeout) : 0;
  }

  /** Ends all waiting calls. */
  expireAll(why: Away): void {
    const expired = [...this.#watched];
    this.#watched.clear();
    for (const { expire } of expired) expire(why);
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#watched.size > 0) {
      await this.#clock.pause(Math.min(LOOK_MILLISECONDS, this.#timeout / 10));
      const now = this.#clock.monotonic();
      for (const watched of this.#watched) {
        if (watched.due > now) break;
        this.#watched.delete(watched);
        watched.expire(new Away('it gave no answer in time'));
      }
      this.onLook();
    }
    this.#running = false;
  }
}
