import type { Clock } from '../../../clock.ts';

export interface IdleRules {
  /** A session ends after this long without any message, ping or pong. */
  readonly silentMilliseconds: number;
  /** How often it is looked at. */
  readonly lookMilliseconds: number;
  /** Whether the server pings the client at each look. */
  readonly pings: boolean;
}

const WORKLESS_MILLISECONDS = 30 * 60_000;

/** Ends unused sessions: silent ones, and those of 30 minutes with only pings and KEEP_ALIVE. */
export class IdleLimit {
  readonly #clock: Clock;
  readonly #rules: IdleRules;
  #heard: number;
  #worked: number;

  constructor(clock: Clock, rules: IdleRules) {
    this.#clock = clock;
    this.#rules = rules;
    this.#heard = clock.monotonic();
    this.#worked = this.#heard;
  }

  /** A ping, pong or KEEP_ALIVE came. */
  signOfLife(): void {
    this.#heard = this.#clock.monotonic();
  }

  /** Any other message came. */
  work(): void {
    this.signOfLife();
    this.#worked = this.#heard;
  }

  /**
   * Resolves with `true` when a limit is passed, with `false` when the signal aborts. While `excused` returns true (the socket is not being read, or
   * nothing more is expected from the client), silence does not count. Calls `onLook` at each look.
   */
  async passed(excused: () => boolean, signal: AbortSignal, onLook: () => void): Promise<boolean> {
    const { silentMilliseconds, lookMilliseconds } = this.#rules;
    for (let looked = this.#clock.monotonic(); ; ) {
      if ((await this.#clock.pause(lookMilliseconds, signal)) === 'aborted') return false;
      const now = this.#clock.monotonic();
      // A paused process has not read: messages sent meanwhile are still to be received.
      const late = Math.max(0, now - looked - lookMilliseconds);
      this.#heard = Math.min(now, this.#heard + late);
      this.#worked = Math.min(now, this.#worked + late);
      looked = now;
      if (excused()) this.#heard = now;
      if (now - this.#heard >= silentMilliseconds || now - this.#worked >= WORKLESS_MILLISECONDS) return true;
      onLook();
    }
  }
}
