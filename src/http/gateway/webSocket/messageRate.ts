import type { Clock } from '../../../clock.ts';
import type { Limits } from '../../../limits.ts';

/** Messages of each user in the current second, on all sockets of a server together. */
export class MessageRate {
  readonly #most: number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #counts = new Map<string, number>();
  #second = 0;

  constructor({ socketMessagesPerSecond }: Pick<Limits, 'socketMessagesPerSecond'>, clock: Pick<Clock, 'monotonic'>) {
    this.#most = socketMessagesPerSecond;
    this.#clock = clock;
  }

  /** Counts one message. Returns the milliseconds until the user's sockets may be read again; 0 below the limit. */
  count(user: string): number {
    const now = this.#clock.monotonic();
    const second = Math.floor(now / 1_000);
    if (second !== this.#second) this.#counts.clear();
    this.#second = second;
    const count = (this.#counts.get(user) ?? 0) + 1;
    this.#counts.set(user, count);
    return count > this.#most ? (second + 1) * 1_000 - now : 0;
  }
}
