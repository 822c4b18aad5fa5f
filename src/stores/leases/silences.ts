import type { Clock } from '../../clock.ts';

/** Names that were not asked about are forgotten above this number. */
const MOST = 10_000;

interface Seen {
  readonly mark: string;
  /** Milliseconds. */
  readonly silent: number;
  /** When the last look at it was answered. */
  readonly looked: number;
}

/**
 * How long the holders of leases have shown no sign of life, as seen by this process. Each has a mark that changes while it lives. Only time between two
 * looks counts, so that a store or process that was paused makes no node look dead, and no time in which this process could not look. Times are of
 * the monotonic clock, in milliseconds.
 */
export class Silences {
  readonly #clock: Clock;
  readonly #longestGap: number;
  readonly #seen = new Map<string, Seen>();

  /** Longest counted gap between two looks. */
  constructor(clock: Clock, longestGap: number) {
    this.#clock = clock;
    this.#longestGap = longestGap;
  }

  /** This process could not read or write for a while: every silence starts again. */
  clear(): void {
    this.#seen.clear();
  }

  /** The silence up to `asked`, when the mark was requested. Call it when the mark has arrived. */
  of(name: string, mark: string, asked: number): number {
    const answered = this.#clock.monotonic();
    const before = this.#seen.get(name);
    const gap = before ? Math.max(0, asked - before.looked) : 0;
    const silent = before?.mark === mark ? before.silent + Math.min(gap, this.#longestGap) : 0;
    this.#seen.delete(name);
    this.#seen.set(name, { mark, silent, looked: Math.max(answered, before?.looked ?? 0) });
    const oldest = this.#seen.keys().next().value;
    if (this.#seen.size > MOST && oldest !== undefined) this.#seen.delete(oldest);
    return silent;
  }
}
