import type { Clock } from '../clock.ts';

/** Pauses that grow from 50 ms to 5 s while something goes on failing, with jitter so that many do not come back at once. */
export class Backoff {
  readonly #clock: Clock;
  #failures = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the next pause is the first of its streak: the one to log. */
  get first(): boolean {
    return this.#failures === 0;
  }

  reset(): void {
    this.#failures = 0;
  }

  /** Resolves after the pause, or at once when the signal aborts. */
  async pause(signal: AbortSignal): Promise<void> {
    const longest = Math.min(5_000, 50 * 2 ** this.#failures);
    this.#failures += 1;
    await this.#clock.sleep(longest * (0.5 + Math.random() / 2), signal).catch(() => undefined);
  }
}
