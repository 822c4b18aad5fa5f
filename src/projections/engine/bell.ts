import type { Clock } from '../../clock.ts';

interface WaitOptions {
  readonly milliseconds?: number;
  readonly signal?: AbortSignal;
  readonly until?: () => boolean;
}

interface Waiting {
  readonly wake: () => void;
  readonly until: (() => boolean) | undefined;
}

// A reason that is made once: the default one costs an exception with its stack each time.
const RUNG = new Error('the bell has rung');

/** Wakes everything that waits for it. A wait that begins after a ring waits for the next one: check, then wait, without an `await` between. */
export class Bell {
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    for (const waiting of [...this.#waiting]) if (waiting.until?.() !== false) waiting.wake();
  }

  /**
   * Resolves at the next ring (if `until` is given, at which it is true), after `milliseconds`, or when the signal aborts, whichever is first:
   * never rejects.
   */
  wait({ milliseconds, signal, until }: WaitOptions): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = milliseconds === undefined ? null : new AbortController();
      const wake = () => {
        this.#waiting.delete(waiting);
        signal?.removeEventListener('abort', wake);
        done?.abort(RUNG);
        resolve();
      };
      const waiting: Waiting = { wake, until };
      this.#waiting.add(waiting);
      signal?.addEventListener('abort', wake, { once: true });
      if (done && milliseconds !== undefined) this.#clock.sleep(milliseconds, done.signal).then(wake, () => undefined);
    });
  }
}
