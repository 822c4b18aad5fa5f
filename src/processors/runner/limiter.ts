/** Work that asks for a place. */
export interface Entrant {
  readonly owner: string;
  /** Work of one kind is done in the order in which it came. */
  readonly kind: string;
  /** How many of this kind may run at once, of all owners. */
  readonly mostOfKind: number;
  readonly signal: AbortSignal;
}

interface Waiting extends Entrant {
  readonly start: () => Promise<void>;
}

/**
 * Runs at most so much work at once, and so much of each owner and of each kind. A free place goes to the waiting owner that holds the fewest: under
 * contention each owner gets an equal share, and an owner alone may use all. Owners that hold as many take turns, and so do the kinds of one owner.
 */
export class Limiter {
  readonly #most: number;
  readonly #mostOfOwner: number;
  /** By owner and kind, in the order of their turns. */
  readonly #waiting = new Map<string, Map<string, Set<Waiting>>>();
  readonly #ofOwner = new Map<string, number>();
  readonly #ofKind = new Map<string, number>();
  #running = 0;

  constructor(most: number, mostOfOwner = Number.POSITIVE_INFINITY) {
    this.#most = most;
    this.#mostOfOwner = mostOfOwner;
  }

  /** Runs `work` as soon as there is a place, and settles like it. Resolves without running it if the signal aborts first. */
  run(entrant: Entrant, work: () => Promise<void>): Promise<void> {
    const { signal } = entrant;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#remove(waiting);
        resolve();
      };
      const start = () => {
        signal.removeEventListener('abort', leave);
        return work().then(resolve, reject);
      };
      const waiting = { ...entrant, start };
      signal.addEventListener('abort', leave, { once: true });
      this.#add(waiting);
      this.#fill();
    });
  }

  #fill(): void {
    for (let next = this.#next(); next; next = this.#next()) this.#start(next);
  }

  #next(): Waiting | null {
    if (this.#running >= this.#most) return null;
    let next: Waiting | null = null;
    let least = this.#mostOfOwner;
    for (const [owner, kinds] of this.#waiting) {
      const held = this.#ofOwner.get(owner) ?? 0;
      if (held >= least) continue;
      const first = this.#firstOf(kinds);
      if (!first) continue;
      next = first;
      least = held;
    }
    return next;
  }

  #firstOf(kinds: ReadonlyMap<string, ReadonlySet<Waiting>>): Waiting | null {
    for (const [kind, all] of kinds) {
      const [first] = all;
      if (first && (this.#ofKind.get(kind) ?? 0) < first.mostOfKind) return first;
    }
    return null;
  }

  #start(next: Waiting): void {
    const { owner, kind } = next;
    this.#takeTurn(next);
    this.#running += 1;
    count(this.#ofOwner, owner, 1);
    count(this.#ofKind, kind, 1);
    void next.start().finally(() => {
      this.#running -= 1;
      count(this.#ofOwner, owner, -1);
      count(this.#ofKind, kind, -1);
      this.#fill();
    });
  }

  #add(waiting: Waiting): void {
    const { owner, kind } = waiting;
    const kinds = this.#waiting.get(owner) ?? new Map<string, Set<Waiting>>();
    this.#waiting.set(owner, kinds.set(kind, (kinds.get(kind) ?? new Set()).add(waiting)));
  }

  #remove(waiting: Waiting): void {
    const { owner, kind } = waiting;
    const kinds = this.#waiting.get(owner);
    const all = kinds?.get(kind);
    all?.delete(waiting);
    if (all?.size === 0) kinds?.delete(kind);
    if (kinds?.size === 0) this.#waiting.delete(owner);
  }

  /** The kind and its owner go to the end of the queue until their next turn. */
  #takeTurn(waiting: Waiting): void {
    const { owner, kind } = waiting;
    const kinds = this.#waiting.get(owner);
    const all = kinds?.get(kind);
    this.#remove(waiting);
    if (kinds && all && all.size > 0) {
      kinds.delete(kind);
      kinds.set(kind, all);
    }
    if (!kinds || kinds.size === 0) return;
    this.#waiting.delete(owner);
    this.#waiting.set(owner, kinds);
  }
}

const count = (counts: Map<string, number>, name: string, change: 1 | -1): void => {
  const next = (counts.get(name) ?? 0) + change;
  if (next === 0) counts.delete(name);
  else counts.set(name, next);
};
