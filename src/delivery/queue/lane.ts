import type { Destination } from './destination.ts';

/** Destinations that may send. Users take turns, and so do the destinations of each user. */
export class Lane<Job> {
  readonly #users = new Map<string, Set<Destination<Job>>>();

  get empty(): boolean {
    return this.#users.size === 0;
  }

  add(destination: Destination<Job>): void {
    const own = this.#users.get(destination.owner);
    if (own) own.add(destination);
    else this.#users.set(destination.owner, new Set([destination]));
  }

  remove(destination: Destination<Job>): void {
    const own = this.#users.get(destination.owner);
    if (own?.delete(destination) && own.size === 0) this.#users.delete(destination.owner);
  }

  /** The destination whose turn it is. It and its user move to the end of their queues. */
  next(): Destination<Job> | undefined {
    for (const [owner, own] of this.#users) {
      this.#users.delete(owner);
      this.#users.set(owner, own);
      for (const destination of own) {
        own.delete(destination);
        own.add(destination);
        return destination;
      }
    }
    return undefined;
  }
}
