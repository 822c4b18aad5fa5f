import { Problem } from '../../domain/problem.ts';
import { BytesOfUsers } from '../bytesOfUsers.ts';

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

/** Bytes of bodies that requests hold in memory until they are answered. The limit of a user never refuses that user's first body. */
export class HeldBodies {
  readonly #limits: HeldBodiesLimits;
  readonly #bytes = new BytesOfUsers();

  constructor(limits: HeldBodiesLimits = DEFAULT_LIMITS) {
    this.#limits = limits;
  }

  /** For a new request of a user. */
  enter(user: string): HeldBody {
    let held = 0;
    return {
      add: (bytes) => {
        this.#check(user, held, bytes);
        this.#bytes.add(user, bytes);
        held += bytes;
      },
      leave: () => {
        this.#bytes.add(user, -held);
        held = 0;
      },
    };
  }

  #check(user: string, held: number, bytes: number): void {
    const own = this.#bytes.of(user);
    if (own > held && own + bytes > this.#limits.perUser)
      throw new Problem('STREAM_USAGE_LIMIT_REACHED', 'Your open requests hold too many bytes. Wait for some answers, then try again.', {
        headers: { 'Retry-After': '1' },
      });
    const full = this.#bytes.total > held && this.#bytes.total + bytes > this.#limits.inTotal;
    if (full || !this.#bytes.hasRoom(user, bytes))
      throw new Problem('GENERAL_INTERNAL_ERROR', 'Open requests hold too many bytes. Try again.', {
        statusCode: 503,
        title: 'Unavailable',
        headers: { 'Retry-After': '2' },
      });
  }
}
