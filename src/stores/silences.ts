/** Names that nobody has looked for are forgotten when there are more than this. */
const MOST = 10_000;

interface Seen {
  readonly mark: string | number;
  /** Milliseconds. */
  readonly silent: number;
  /** When the look was answered that saw it last. */
  readonly looked: number;
}

/**
 * For how long others have given no sign of life, by what this process has seen. Each other has a mark that changes while it lives. Only time between
 * two looks counts, so that a store or a process that stood still makes nobody look dead. Times are of the monotonic clock, in milliseconds.
 */
export class Silences {
  readonly #longestGap: number;
  readonly #seen = new Map<string, Seen>();

  /** Of a longer gap between two looks, only so much counts. */
  constructor(longestGap: number) {
    this.#longestGap = longestGap;
  }

  /** Notes the answer to a look that was asked at `asked`, and resolves to the silence up to then. */
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

  /** This process could not see or could not write for a while: everybody gets the whole time again. */
  clear(): void {
    this.#seen.clear();
  }
}
