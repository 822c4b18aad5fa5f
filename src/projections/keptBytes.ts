import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { limitReached } from '../domain/problem.ts';
import { fresh } from '../supervision/fresh.ts';
import type { ReadModels } from './readModels.ts';
import { usageProjection } from './usage.ts';

/** How long a user's sum is used again. It has to be read from the index of all streams that the user keeps. */
const FRESH_MILLISECONDS = 5_000;
const REMEMBERED_USERS = 10_000;
const RETRY_SECONDS = 3_600;

export interface KeptBytesDeps {
  readonly readModels: Pick<ReadModels, 'sum'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Announced bytes of a user's unfinished resumable uploads. */
  readonly unfinished: (subject: string) => Promise<number>;
  /** KEPT_BYTES_PER_USER; 0: none. */
  readonly limit: number;
}

/**
 * Bytes of each user's streams that have not expired, their uploads and outputs, and those that their unfinished resumable uploads will have. What is being
 * uploaded otherwise counts when it is complete.
 */
export class KeptBytes {
  readonly #deps: KeptBytesDeps;
  readonly #sums = new LRUCache<string, () => Promise<number>>({ max: REMEMBERED_USERS });

  constructor(deps: KeptBytesDeps) {
    this.#deps = deps;
  }

  /** Bytes that one user may keep; 0: no limit. */
  get limit(): number {
    return this.#deps.limit;
  }

  /** Throws 429 if `bytes` more would exceed the limit. Accepts them while the read model is not served. */
  async check(subject: string, bytes = 0): Promise<void> {
    const { limit } = this.#deps;
    if (limit === 0) return;
    const kept = await this.#of(subject).catch(() => 0);
    if (kept + Math.max(1, bytes) <= limit) return;
    const message = `Your streams keep ${kept} bytes, and one user may keep ${limit}. Delete streams that you no longer need.`;
    throw limitReached(message, RETRY_SECONDS);
  }

  /** What the user keeps has just changed. */
  changed(subject: string): void {
    this.#sums.delete(subject);
  }

  #of(subject: string): Promise<number> {
    const { readModels, unfinished } = this.#deps;
    const sum = async () => {
      const kept = readModels.sum(usageProjection, 'keptBytes', { creatorId: subject, expired: false });
      return (await kept) + (await unfinished(subject));
    };
    const read = this.#sums.get(subject) ?? fresh(this.#deps.clock, FRESH_MILLISECONDS, sum);
    this.#sums.set(subject, read);
    return read();
  }
}
