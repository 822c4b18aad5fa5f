import type { Problem } from '../domain/problem.ts';

/** Limits how much of one kind a user may have under way on this node. */
export class InFlight {
  readonly #counts = new Map<string, number>();
  readonly #limit: number;
  readonly #refusal: () => Problem;

  constructor(limit: number, refusal: () => Problem) {
    this.#limit = limit;
    this.#refusal = refusal;
  }

  /** The result of the work, which counts until it settles. Rejects with the refusal if the user has too much under way. */
  async pass<T>(subject: string, work: () => Promise<T>): Promise<T> {
    const count = this.#counts.get(subject) ?? 0;
    if (count >= this.#limit) throw this.#refusal();
    this.#counts.set(subject, count + 1);
    try {
      return await work();
    } finally {
      const left = (this.#counts.get(subject) ?? 1) - 1;
      if (left > 0) this.#counts.set(subject, left);
      else this.#counts.delete(subject);
    }
  }
}
