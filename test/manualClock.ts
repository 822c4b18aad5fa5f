import type { Clock, Pause } from '../src/clock.ts';

/** A clock that stands still until a test advances it. */
export class ManualClock implements Clock {
  #now: number;
  #sleepers: { due: number; wake: () => void }[] = [];

  constructor(start = Date.parse('2026-01-01T00:00:00Z')) {
    this.#now = start;
  }

  /** Whole milliseconds, as `Date.now`: a pause may end between two. */
  now(): number {
    return Math.floor(this.#now);
  }

  monotonic(): number {
    return this.#now;
  }

  pause(milliseconds: number, signal?: AbortSignal): Promise<Pause> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve('aborted');
      const onAbort = () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        resolve('aborted');
      };
      const sleeper = {
        due: this.#now + milliseconds,
        wake: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve('elapsed');
        },
      };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Advances the time, waking every sleeper that falls due, in order, and lets their work settle in between. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      await settle();
      const next = this.#sleepers.filter((sleeper) => sleeper.due <= end).sort((a, b) => a.due - b.due)[0];
      if (!next) break;
      this.#now = Math.max(this.#now, next.due);
      this.#sleepers = this.#sleepers.filter((sleeper) => sleeper !== next);
      next.wake();
    }
    this.#now = end;
    await settle();
  }

  /** Number of open pauses, for tests that must know that work has settled. */
  get sleeping(): number {
    return this.#sleepers.length;
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
