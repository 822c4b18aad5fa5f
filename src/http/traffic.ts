import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { RecentShares } from '../supervision/recentShares.ts';

/** Bytes a second of one user. At the largest rate no one waits. */
const [LEAST, MOST] = [4_194_304, 67_108_864];
const ADJUSTED_MILLISECONDS = 250;
const [SLOWER, FASTER] = [0.5, 1.25];
/** Each piece costs about as much as moving these bytes, however small it is. */
const BYTES_OF_A_PIECE = 2_048;
/** In two seconds. */
const MODEST_BYTES = 1_048_576;
/** A shorter wait is not worth a timer: small pieces of an answer would each wait for a turn of the event loop. */
const FEWEST_MILLISECONDS = 20;
const MOST_MILLISECONDS = 5_000;
const REMEMBERED_USERS = 10_000;

/**
 * Slows down users who move more bytes through the server than the mean of the active ones: bodies of uploads, large messages, streamed answers, live
 * results. Their rate is halved every quarter of a second while the event loop is busy, and rises by a quarter while it is not, so that it settles where
 * the others have room. A user alone is never slowed down, nor is anyone while the loop has time to spare.
 */
export class Traffic {
  readonly #clock: Pick<Clock, 'monotonic' | 'pause'>;
  readonly #load: { readonly busy: boolean };
  readonly #shares: RecentShares;
  /** When the next bytes of each user may move. */
  readonly #next = new LRUCache<string, number>({ max: REMEMBERED_USERS });
  #rate = MOST;
  #adjusted = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'monotonic' | 'pause'>, load: { readonly busy: boolean } = { busy: false }) {
    this.#clock = clock;
    this.#load = load;
    this.#shares = new RecentShares(clock, MODEST_BYTES);
  }

  /** The user has sent a request, and so counts as active. */
  note(user: string): void {
    this.#shares.count(user, BYTES_OF_A_PIECE);
  }

  /** Resolves when one piece of the user's traffic may move; `undefined` if it may at once. */
  wait(user: string, bytes: number): Promise<unknown> | undefined {
    const weight = bytes + BYTES_OF_A_PIECE;
    this.#shares.count(user, weight);
    const now = this.#clock.monotonic();
    this.#adjust(now);
    if (this.#rate === MOST || !this.#shares.isAbove(user)) return undefined;
    const at = Math.max(now, this.#next.get(user) ?? 0);
    this.#next.set(user, Math.min(at + (weight / this.#rate) * 1_000, now + MOST_MILLISECONDS));
    return at - now >= FEWEST_MILLISECONDS ? this.#pause(at - now) : undefined;
  }

  /** Gets shorter as the rate rises. */
  async #pause(milliseconds: number): Promise<void> {
    let [left, rate] = [milliseconds, this.#rate];
    while (left > 0 && rate < MOST) {
      const began = this.#clock.monotonic();
      await this.#clock.pause(Math.min(left, ADJUSTED_MILLISECONDS));
      const now = this.#clock.monotonic();
      this.#adjust(now);
      left = (left - (now - began)) * Math.min(1, rate / this.#rate);
      rate = Math.max(rate, this.#rate);
    }
  }

  #adjust(now: number): void {
    const steps = Math.floor((now - this.#adjusted) / ADJUSTED_MILLISECONDS);
    if (steps < 1) return;
    this.#adjusted = now;
    this.#rate = this.#load.busy ? Math.max(LEAST, this.#rate * SLOWER) : Math.min(MOST, this.#rate * FASTER ** steps);
  }
}
