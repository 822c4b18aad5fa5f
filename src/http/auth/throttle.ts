import { createHash, randomBytes } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Problem } from '../../domain/problem.ts';
import { rateLimitHeaders } from '../../domain/rateLimit.ts';

const ALLOWED_A_MINUTE = 100;
const WINDOW_SECONDS = 60;
// Bounds the memory that guessing can take. There are enough counters that callers rarely share one.
const COUNTERS = 65_536;

/** Counts failed credentials per minute, by claimed identity and by source. */
export class WrongCredentialThrottle {
  readonly #limiter = new RateLimiterMemory({ points: ALLOWED_A_MINUTE, duration: WINDOW_SECONDS });
  // Hashed with a secret, so callers cannot choose identities that share a counter with others.
  readonly #salt = randomBytes(16);

  /** Counts one failure and returns the rate-limit headers; throws 429 above the limit. */
  async count(claim: string, address: string): Promise<Readonly<Record<string, string>>> {
    try {
      return limitHeaders(await this.#limiter.consume(this.#counter(claim, address)));
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      throw tooManyWrong(refusal);
    }
  }

  #counter(claim: string, address: string): number {
    const digest = createHash('sha256').update(this.#salt).update(`${address}\n${claim}`).digest();
    return digest.readUInt32BE(0) % COUNTERS;
  }
}

const secondsLeft = ({ msBeforeNext }: RateLimiterRes): number => Math.max(1, Math.ceil(msBeforeNext / 1_000));

const limitHeaders = (counted: RateLimiterRes): Readonly<Record<string, string>> =>
  rateLimitHeaders({
    name: 'wrong-credentials',
    quota: ALLOWED_A_MINUTE,
    windowSeconds: WINDOW_SECONDS,
    remaining: counted.remainingPoints,
    resetSeconds: secondsLeft(counted),
  });

const tooManyWrong = (counted: RateLimiterRes): Problem =>
  new Problem('GENERAL_AUTHENTICATION_ERROR', 'Too many wrong credentials. Wait, then try again with the right one.', {
    statusCode: 429,
    title: 'Too many requests',
    headers: { 'Retry-After': String(secondsLeft(counted)), ...limitHeaders(counted) },
  });
