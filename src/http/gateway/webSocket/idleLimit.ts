import type { Clock } from '../../../clock.ts';

const SILENT_MILLISECONDS = 10_000;
const WORKLESS_MILLISECONDS = 30 * 60_000;
const LOOK_MILLISECONDS = 500;

/** Ends unused sessions: after 10 s without any message or ping, or 30 minutes with only pings and KEEP_ALIVE. */
export class IdleLimit {
  readonly #clock: Clock;
  #heard: number;
  #worked: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#heard = clock.monotonic();
    this.#worked = this.#heard;
  }

  /** A ping or KEEP_ALIVE came. */
  signOfLife(): void {
    this.#heard = this.#clock.monotonic();
  }

  /** Any other message came. */
  work(): void {
    this.signOfLife();
    this.#worked = this.#heard;
  }

  /**
   * Resolves when a limit is passed; rejects with the signal's reason. While `excused` returns true (the socket is not being read, or nothing more
   * is expected from the client), silence does not count.
   */
  async passed(excused: () => boolean, signal: AbortSignal): Promise<void> {
    for (let looked = this.#clock.monotonic(); ; ) {
      await this.#clock.pause(LOOK_MILLISECONDS, signal);
      signal.throwIfAborted();
      const now = this.#clock.monotonic();
      // A paused process has not read: messages sent meanwhile are still to be received.
      const late = Math.max(0, now - looked - LOOK_MILLISECONDS);
      this.#heard = Math.min(now, this.#heard + late);
      this.#worked = Math.min(now, this.#worked + late);
      looked = now;
      if (excused()) this.#heard = now;
      if (now - this.#heard >= SILENT_MILLISECONDS || now - this.#worked >= WORKLESS_MILLISECONDS) return;
    }
  }
}
