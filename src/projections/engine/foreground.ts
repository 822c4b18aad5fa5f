import type { Clock } from '../../clock.ts';

/** Without a request for so long, nobody is held up by large steps. */
const QUIET_MILLISECONDS = 250;
/** A request that takes longer waits for something else: an upload, a live reader. */
const SHORT_MILLISECONDS = 100;
/** A step waits no longer than this for requests to be answered. */
const PATIENCE_MILLISECONDS = 20;

/**
 * Lets what callers wait for go before what nobody waits for. While requests come, a build that is not served yet takes small steps, one at a time over
 * all read models, each when no short request is being answered: so a request waits for one such step at most.
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

  /** A request has come. To be called when it has been answered. */
  begin(): () => void {
    const request = { since: this.#clock.monotonic() };
    this.#newest = request.since;
    this.#answering.add(request);
    return () => {
      this.#answering.delete(request);
      if (this.#wake && !this.#busy()) this.#wake();
    };
  }

  /** `null`: nobody asks, a step may be as large as it likes. Else resolves when a small step may be taken, with what is to be called after it. */
  async turn(): Promise<(() => void) | null> {
    if (this.#clock.monotonic() - this.#newest > QUIET_MILLISECONDS) return null;
    const before = this.#before;
    let done = (): void => {};
    this.#before = new Promise((resolve) => {
      done = resolve;
    });
    await before;
    // What has come meanwhile is heard first.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#busy()) await this.#answered();
    return done;
  }

  #busy(): boolean {
    const young = this.#clock.monotonic() - SHORT_MILLISECONDS;
    for (const { since } of this.#answering) if (since > young) return true;
    return false;
  }

  /** Until no request is being answered, or for as long as patience lasts. */
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

// A reason that is made once: the default one costs an exception with its stack each time.
const ANSWERED = new Error('no request is being answered');
