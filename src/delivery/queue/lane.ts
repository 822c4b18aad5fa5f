import type { Destination } from './destination.ts';

/** Destinations that may send. Owners take turns, and so do the destinations of each owner. */
export class Lane {
  readonly #owners = new Map<string, Set<Destination>>();

  get empty(): boolean {
    return this.#owners.size === 0;
  }

  add(destination: Destination): void {
    const own = this.#owners.get(destination.owner);
    if (own) own.add(destination);
    else this.#owners.set(destination.owner, new Set([destination]));
  }

  remove(destination: Destination): void {
    const own = this.#owners.get(destination.owner);
    if (own?.delete(destination) && own.size === 0) this.#owners.delete(destination.owner);
  }

  /** The destination whose turn it is. It and its owner move to the end of their queues. */
  next(): Destination | undefined {
    for (const [owner, own] of this.#owners) {
      this.#owners.delete(owner);
      this.#owners.set(owner, own);
      for (const destination of own) {
        own.delete(destination);
        own.add(destination);
        return destination;
      }
    }
    return undefined;
  }
}
