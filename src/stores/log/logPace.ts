import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { RecentShares } from '../../supervision/recentShares.ts';

/** A user whose events exceed the usual pace by more than this gets 429 at the next command. */
const MOST_SECONDS = 4;
/**
 * The longest wait of an append for the pace of a busy server, and how often it looks whether the server is still busy. Short, because later commands on
 * the same event stream wait too.
 */
const [MOST_BUSY_SECONDS, LOOK_MILLISECONDS] = [5, 250];
const REMEMBERED_USERS = 10_000;
const MODEST_BYTES = 65_536;

/** How far each user is ahead of a rate, in bytes. */
class Ahead {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #burst: number;
  readonly #perSecond: number;
  readonly #users = new LRUCache<string, { readonly bytes: number; readonly at: number }>({ max: REMEMBERED_USERS });

  constructor(clock: Pick<Clock, 'monotonic'>, { burst, perSecond }: { burst: number; perSecond: number }) {
    this.#clock = clock;
    this.#burst = burst;
    this.#perSecond = perSecond;
  }

  count(subject: string, bytes: number, most = Number.POSITIVE_INFINITY): void {
    const limit = this.#burst + most * this.#perSecond;
    this.#users.set(subject, { bytes: Math.min(limit, this.#of(subject) + bytes), at: this.#clock.monotonic() });
  }

  /** Until the user is within the rate; negative before the burst is used up. */
  seconds(subject: string): number {
    return (this.#of(subject) - this.#burst) / this.#perSecond;
  }

  #of(subject: string): number {
    const known = this.#users.get(subject);
    if (!known) return 0;
    return Math.max(0, known.bytes - ((this.#clock.monotonic() - known.at) / 1_000) * this.#perSecond);
  }
}

/**
 * Slows down a user's events to 2 MiB a second after a burst of 4 MiB. Waiting appends of all users share a sync, so without a pace one user's large
 * events delay the uploads of all others.
 *
 * Each event also makes work after its append: read models, webhooks, policies. So while the event loop, or the thread that writes read models, is busy, a
 * user who appends more than the mean of all active users goes at 256 KiB a second. A user alone, or on a server with time to spare, is not slowed down further.
 */
export class LogPace {
  readonly #clock: Pick<Clock, 'monotonic' | 'pause'>;
  readonly #load: { readonly busy: boolean };
  readonly #shares: RecentShares;
  readonly #usual: Ahead;
  readonly #busy: Ahead;

  constructor(clock: Pick<Clock, 'monotonic' | 'pause'>, load: { readonly busy: boolean } = { busy: false }) {
    this.#clock = clock;
    this.#load = load;
    this.#shares = new RecentShares(clock, MODEST_BYTES);
    this.#usual = new Ahead(clock, { burst: 4_194_304, perSecond: 2_097_152 });
    this.#busy = new Ahead(clock, { burst: 262_144, perSecond: 262_144 });
  }

  /** Resolves when the append may be sent. Counts it at once, so that parallel appends wait for each other. */
  async wait(subject: string, bytes: number): Promise<void> {
    const began = this.#clock.monotonic();
    const [usual, busy] = [this.#usual.seconds(subject) * 1_000, this.#busy.seconds(subject) * 1_000];
    this.count(subject, bytes);
    if (usual > 0) await this.#clock.pause(usual);
    for (let left = busy; left > 0 && this.#isGreedy(subject); left = busy - (this.#clock.monotonic() - began))
      await this.#clock.pause(Math.min(left, LOOK_MILLISECONDS));
  }

  /** Counts an append that is not slowed down. */
  count(subject: string, bytes: number): void {
    this.#shares.count(subject, bytes);
    this.#usual.count(subject, bytes);
    this.#busy.count(subject, bytes, MOST_BUSY_SECONDS);
  }

  /** Seconds until the user's next command is accepted; `null` if it is accepted now. */
  retryAfter(subject: string): number | null {
    const seconds = this.#usual.seconds(subject);
    return seconds > MOST_SECONDS ? Math.ceil(seconds) : null;
  }

  #isGreedy(subject: string): boolean {
    return this.#load.busy && this.#shares.isAbove(subject);
  }
}
