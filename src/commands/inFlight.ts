import type { Clock } from '../clock.ts';
import type { Problem } from '../domain/problem.ts';

interface Limits {
  readonly perUser: number;
  /** For all users together. A user with nothing under way is accepted even above it. */
  readonly inTotal?: number;
}

/** Why work is refused. */
interface Refused {
  /** The limit that is reached: the user's own, or that of all users. */
  readonly whose: 'user' | 'all';
  /** How long the user's oldest work has been under way. */
  readonly seconds: number;
}

/** Limits how much of one kind users may have under way on this node. */
export class InFlight {
  /** When the work of each user began, in milliseconds, the oldest first. */
  readonly #began = new Map<string, number[]>();
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #limits: Limits;
  readonly #refusal: (refused: Refused) => Problem;
  #total = 0;

  constructor(clock: Pick<Clock, 'monotonic'>, limits: Limits, refusal: (refused: Refused) => Problem) {
    this.#clock = clock;
    this.#limits = limits;
    this.#refusal = refusal;
  }

  /** The result of the work, which counts until it settles. Rejects with the refusal if too much is under way. */
  async pass<T>(subject: string, work: () => Promise<T>): Promise<T> {
    const now = this.#clock.monotonic();
    const own = this.#began.get(subject) ?? [];
    const [oldest] = own;
    const whose = this.#filledBy(own.length);
    if (oldest !== undefined && whose) throw this.#refusal({ whose, seconds: Math.ceil((now - oldest) / 1_000) });
    this.#began.set(subject, own);
    own.push(now);
    this.#total += 1;
    try {
      return await work();
    } finally {
      this.#total -= 1;
      own.splice(own.indexOf(now), 1);
      if (own.length === 0) this.#began.delete(subject);
    }
  }

  #filledBy(own: number): Refused['whose'] | null {
    const { perUser, inTotal = Number.POSITIVE_INFINITY } = this.#limits;
    if (own >= perUser) return 'user';
    return this.#total >= inTotal ? 'all' : null;
  }
}
