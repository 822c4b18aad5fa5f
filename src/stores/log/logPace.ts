import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';

const BURST_BYTES = 4_194_304;
const BYTES_PER_SECOND = 2_097_152;
/** A user whose events exceed the pace by more than this gets 429 at the next command. */
const MOST_SECONDS = 4;
const REMEMBERED_USERS = 10_000;

/**
 * Slows down a user's events to 2 MiB a second after a burst of 4 MiB. Waiting appends of all users share a sync, so without a pace one user's large
 * events delay the uploads of all others.
 */
export class LogPace {
  readonly #clock: Pick<Clock, 'monotonic' | 'pause'>;
  readonly #users = new LRUCache<string, { readonly ahead: number; readonly at: number }>({ max: REMEMBERED_USERS });

  constructor(clock: Pick<Clock, 'monotonic' | 'pause'>) {
    this.#clock = clock;
  }

  /** Resolves when the append may be sent. Counts it at once, so that parallel appends wait for each other. */
  async wait(subject: string, bytes: number): Promise<void> {
    const ahead = this.#aheadOf(subject);
    this.count(subject, bytes);
    const seconds = (ahead - BURST_BYTES) / BYTES_PER_SECOND;
    if (seconds > 0) await this.#clock.pause(seconds * 1_000);
  }

  /** Counts an append that is not slowed down. */
  count(subject: string, bytes: number): void {
    this.#users.set(subject, { ahead: this.#aheadOf(subject) + bytes, at: this.#clock.monotonic() });
  }

  /** Seconds until the user's next command is accepted; `null` if it is accepted now. */
  retryAfter(subject: string): number | null {
    const seconds = (this.#aheadOf(subject) - BURST_BYTES) / BYTES_PER_SECOND;
    return seconds > MOST_SECONDS ? Math.ceil(seconds) : null;
  }

  #aheadOf(subject: string): number {
    const known = this.#users.get(subject);
    if (!known) return 0;
    return Math.max(0, known.ahead - ((this.#clock.monotonic() - known.at) / 1_000) * BYTES_PER_SECOND);
  }
}
