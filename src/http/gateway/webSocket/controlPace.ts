import type { Clock } from '../../../clock.ts';

const A_SECOND = 20;
const AT_ONCE = 100;

/** The pace of KEEP_ALIVE messages and pings of one socket: 20 a second, after a burst of 100. They carry no data, so more serve no purpose. */
export class ControlPace {
  readonly #clock: Clock;
  #left = AT_ONCE;
  #at: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.monotonic();
  }

  /** Counts one message and gives the milliseconds for which the socket should not be read. */
  take(): number {
    const now = this.#clock.monotonic();
    this.#left = Math.min(AT_ONCE, this.#left + ((now - this.#at) / 1_000) * A_SECOND) - 1;
    this.#at = now;
    return this.#left >= 0 ? 0 : Math.ceil((-this.#left / A_SECOND) * 1_000);
  }
}
