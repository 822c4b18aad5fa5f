import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';

export interface AllowanceSettings {
  /** Milliseconds of CPU that a user may use at once. */
  readonly capacity: number;
  /** Milliseconds of CPU that a user gets back each second. */
  readonly perSecond: number;
}

/** More users at once than have used any CPU lately. */
const USERS = 10_000;

/** A token bucket of CPU time for each user. It may be overdrawn by the last job; then the user waits until it is above zero. */
export class CpuAllowance {
  readonly #settings: AllowanceSettings;
  readonly #clock: Clock;
  readonly #users = new LRUCache<string, { left: number; at: number }>({ max: USERS });

  constructor(settings: AllowanceSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Milliseconds until the user may start a job; 0 when that is now. */
  wait(owner: string): number {
    const left = this.#left(owner);
    return left > 0 ? 0 : Math.ceil(((1 - left) / this.#settings.perSecond) * 1_000);
  }

  spend(owner: string, milliseconds: number): void {
    this.#users.set(owner, { left: this.#left(owner) - milliseconds, at: this.#clock.monotonic() });
  }

  #left(owner: string): number {
    const { capacity, perSecond } = this.#settings;
    const known = this.#users.get(owner);
    if (!known) return capacity;
    return Math.min(capacity, known.left + ((this.#clock.monotonic() - known.at) / 1_000) * perSecond);
  }
}
