import type { Clock } from '../src/clock.ts';

/** A clock that stands still until it is told to go on. */
export class ManualClock implements Clock {
  #now: number;
  #sleepers: { due: number; wake: () => void }[] = [];

  constructor(start = Date.parse('2026-01-01T00:00:00Z')) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal?.reason);
      };
      const sleeper = {
        due: this.#now + milliseconds,
        wake: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Moves on, waking every sleeper that falls due, in order, and lets what they do settle between. */
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

  /** How many wait, for tests that must know that work has come to rest. */
  get sleeping(): number {
    return this.#sleepers.length;
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
