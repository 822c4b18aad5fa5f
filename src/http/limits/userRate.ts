import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { limitReached } from '../../domain/problem.ts';
import type { Limits } from '../../limits.ts';

/** Requests of each user in a second, by `USER_REQUESTS_PER_SECOND`. */
export class UserRate {
  readonly #limiter: RateLimiterMemory | null;
  readonly #most: number;

  constructor({ userRequestsPerSecond }: Pick<Limits, 'userRequestsPerSecond'>) {
    this.#most = userRequestsPerSecond;
    this.#limiter = this.#most === 0 ? null : new RateLimiterMemory({ points: this.#most, duration: 1 });
  }

  /** Counts one request. Rejects with 429 above the limit. */
  async count(user: string): Promise<void> {
    try {
      await this.#limiter?.consume(user);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      throw limitReached(`You may send ${this.#most} requests a second. Try again.`, Math.ceil(error.msBeforeNext / 1_000));
    }
  }
}
