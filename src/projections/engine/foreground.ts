import type { Clock } from '../../clock.ts';

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
  #wake: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Registers a request. Call the returned function when it is answered. */
  begin(): () => void {
    const request = { since: this.#clock.monotonic() };
    this.#newest = request.since;
    this.#answering.add(request);
    return () => {
      this.#answering.delete(request);
      if (this.#wake && !this.#busy()) this.#wake();
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
    if (this.#busy()) await this.#answered();
    return done;
  }

  #busy(): boolean {
    const young = this.#clock.monotonic() - SHORT_MILLISECONDS;
    for (const { since } of this.#answering) if (since > young) return true;
    return false;
  }

  /** Resolves when no request is open, or after the longest wait. */
  #answered(): Promise<void> {
    const over = new AbortController();
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = null;
        over.abort(ANSWERED);
        resolve();
      };
      void this.#clock.pause(PATIENCE_MILLISECONDS, over.signal).then((pause) => {
        if (pause === 'elapsed') this.#wake?.();
      });
    });
  }
}

// Created once: the default reason builds an exception with a stack each time.
const ANSWERED = new Error('no request is being answered');
