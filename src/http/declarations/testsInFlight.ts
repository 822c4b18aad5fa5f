import { Problem } from '../../domain/problem.ts';

const LIMIT = 2;

/** Limits the concurrent tests of one user, whose outputs are held in memory. */
export class TestsInFlight {
  readonly #counts = new Map<string, number>();

  /** Throws 429 with `Retry-After` if the user has two tests in flight. */
  async pass<T>(subject: string, work: () => Promise<T>): Promise<T> {
    const count = this.#counts.get(subject) ?? 0;
    if (count >= LIMIT) {
      const message = `You have ${LIMIT} processor tests in progress. Try again when one has ended.`;
      throw new Problem('STREAM_USAGE_LIMIT_REACHED', message, { title: 'Too many tests', headers: { 'Retry-After': '1' } });
    }
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
