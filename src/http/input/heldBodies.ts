import { Problem } from '../../domain/problem.ts';

const MEBIBYTE = 1_048_576;

export interface HeldBodiesLimits {
  readonly perUser: number;
  readonly inTotal: number;
}

const DEFAULT_LIMITS: HeldBodiesLimits = { perUser: 8 * MEBIBYTE, inTotal: 64 * MEBIBYTE };

/** The body of one request. */
export interface HeldBody {
  /** Counts bytes that are about to be read. Throws 429 or 503 with `Retry-After` if there is no room for them. */
  add(bytes: number): void;
  /** The request has been answered. */
  leave(): void;
}

/** Bytes of bodies that requests hold in memory until they are answered. A user's first body always has room. */
export class HeldBodies {
  readonly #limits: HeldBodiesLimits;
  readonly #ofUsers = new Map<string, number>();
  #total = 0;

  constructor(limits: HeldBodiesLimits = DEFAULT_LIMITS) {
    this.#limits = limits;
  }

  /** For a new request of a user. */
  enter(user: string): HeldBody {
    let held = 0;
    return {
      add: (bytes) => {
        this.#check(user, held, bytes);
        this.#add(user, bytes);
        held += bytes;
      },
      leave: () => {
        this.#add(user, -held);
        held = 0;
      },
    };
  }

  #check(user: string, held: number, bytes: number): void {
    const own = this.#ofUsers.get(user) ?? 0;
    if (own > held && own + bytes > this.#limits.perUser)
      throw new Problem('STREAM_USAGE_LIMIT_REACHED', 'Your open requests hold too many bytes. Wait for some answers, then try again.', {
        headers: { 'Retry-After': '1' },
      });
    if (this.#total > held && this.#total + bytes > this.#limits.inTotal)
      throw new Problem('GENERAL_INTERNAL_ERROR', 'Open requests hold too many bytes. Try again.', {
        statusCode: 503,
        title: 'Unavailable',
        headers: { 'Retry-After': '2' },
      });
  }

  #add(user: string, bytes: number): void {
    this.#total += bytes;
    const own = (this.#ofUsers.get(user) ?? 0) + bytes;
    if (own > 0) this.#ofUsers.set(user, own);
    else this.#ofUsers.delete(user);
  }
}
