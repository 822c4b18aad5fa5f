import type { Clock } from '../../clock.ts';

/** Wakes everything that waits for it. A wait that begins after a ring waits for the next one: check, then wait, without an `await` between. */
export class Bell {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves at the next ring, after `milliseconds`, or when the signal aborts, whichever is first: never rejects. */
  wait({ milliseconds, signal }: { milliseconds?: number; signal?: AbortSignal }): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = milliseconds === undefined ? null : new AbortController();
      const wake = () => {
        this.#waiting.delete(wake);
        signal?.removeEventListener('abort', wake);
        done?.abort();
        resolve();
      };
      this.#waiting.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
      if (done && milliseconds !== undefined) this.#clock.sleep(milliseconds, done.signal).then(wake, () => undefined);
    });
  }
}
