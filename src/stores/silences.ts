/** Names that were not asked about are forgotten above this number. */
const MOST = 10_000;

interface Seen {
  readonly mark: string | number;
  /** Milliseconds. */
  readonly silent: number;
  /** When the last look at it was answered. */
  readonly looked: number;
}

/**
 * How long other nodes have shown no sign of life, as seen by this process. Each has a mark that changes while it lives. Only time between two
 * looks counts, so that a store or process that was paused makes no node look dead. Times are of the monotonic clock, in milliseconds.
 */
export class Silences {
  readonly #longestGap: number;
  readonly #seen = new Map<string, Seen>();

  /** Longest counted gap between two looks. */
  constructor(longestGap: number) {
    this.#longestGap = longestGap;
  }

  /** Records the answer to a look that was requested at `asked`, and returns the silence up to then. */
  look(name: string, mark: string | number, { asked, answered }: { readonly asked: number; readonly answered: number }): number {
    const before = this.#seen.get(name);
    const gap = before ? Math.max(0, asked - before.looked) : 0;
    const silent = before?.mark === mark ? before.silent + Math.min(gap, this.#longestGap) : 0;
    this.#seen.delete(name);
    this.#seen.set(name, { mark, silent, looked: Math.max(answered, before?.looked ?? 0) });
    const oldest = this.#seen.keys().next().value;
    if (this.#seen.size > MOST && oldest !== undefined) this.#seen.delete(oldest);
    return silent;
  }

  forget(name: string): void {
    this.#seen.delete(name);
  }

  /** This process could not read or write for a while: every silence starts again. */
  clear(): void {
    this.#seen.clear();
  }
}
