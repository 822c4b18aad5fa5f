import { type Clock, systemClock } from '../clock.ts';
import { OVER } from './aborted.ts';

interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  /** The longest wait. */
  readonly milliseconds?: number | undefined;
  /** Ignores notifications until this is true. */
  readonly until?: () => boolean;
}

interface Waiting {
  readonly wake: () => void;
  readonly until: (() => boolean) | undefined;
}

/** Wakes everything that waits for it. A wait that begins after `notify` waits for the next one: check, then wait, without an `await` between. */
export class Notifier {
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();

  /** The clock bounds timed waits. */
  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  notify(): void {
    for (const waiting of [...this.#waiting]) if (waiting.until?.() !== false) waiting.wake();
  }

  /** Resolves at the next notification, after `milliseconds`, or when the signal aborts, whichever comes first. Never rejects. */
  wait({ milliseconds, signal, until }: WaitOptions = {}): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = milliseconds === undefined ? null : new AbortController();
      const wake = () => {
        this.#waiting.delete(waiting);
        signal?.removeEventListener('abort', wake);
        done?.abort(OVER);
        resolve();
      };
      const waiting: Waiting = { wake, until };
      this.#waiting.add(waiting);
      signal?.addEventListener('abort', wake, { once: true });
      if (done && milliseconds !== undefined) void this.#clock.pause(milliseconds, done.signal).then(wake);
    });
  }
}
