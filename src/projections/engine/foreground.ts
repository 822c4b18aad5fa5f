import type { Clock } from '../../clock.ts';
import { Notifier } from '../../supervision/notifier.ts';

/** After this long without a request, steps may be large. */
const QUIET_MILLISECONDS = 250;
/** A request that takes longer is waiting for something else, such as an upload or a live reader. */
const SHORT_MILLISECONDS = 100;
/** A step waits at most this long for open requests. */
const PATIENCE_MILLISECONDS = 20;

/**
 * Prioritises requests over rebuilds. While requests arrive, builds that are not served yet take small steps, one at a time over all read models
 * and only while no short request is open. A request therefore waits for one small step at most.
 */
export class Foreground {
  readonly #clock: Clock;
  readonly #answering = new Set<{ readonly since: number }>();
  #newest = Number.NEGATIVE_INFINITY;
  #before: Promise<void> = Promise.resolve();
  readonly #answers: Notifier;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#answers = new Notifier(clock);
  }

  /** Registers a request. Call the returned function when it is answered. */
  begin(): () => void {
    const request = { since: this.#clock.monotonic() };
    this.#newest = request.since;
    this.#answering.add(request);
    return () => {
      this.#answering.delete(request);
      this.#answers.notify();
    };
  }

  /** Returns `null` if there are no requests: a step may have any size. Otherwise resolves when a small step may begin, with a function to call after it. */
  async turn(): Promise<(() => void) | null> {
    if (this.#clock.monotonic() - this.#newest > QUIET_MILLISECONDS) return null;
    const before = this.#before;
    let done = (): void => {};
    this.#before = new Promise((resolve) => {
      done = resolve;
    });
    await before;
    // Let requests that have just arrived go first.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#busy()) await this.#answers.wait({ milliseconds: PATIENCE_MILLISECONDS, until: () => !this.#busy() });
    return done;
  }

  #busy(): boolean {
    const young = this.#clock.monotonic() - SHORT_MILLISECONDS;
    for (const { since } of this.#answering) if (since > young) return true;
    return false;
  }
}
