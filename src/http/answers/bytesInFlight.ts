import { Problem } from '../../domain/problem.ts';
import { BytesOfUsers } from '../bytesOfUsers.ts';

const MEBIBYTE = 1_048_576;

export interface BytesInFlightLimits {
  readonly perUser: number;
  readonly inTotal: number;
}

const DEFAULT_LIMITS: BytesInFlightLimits = { perUser: 32 * MEBIBYTE, inTotal: 128 * MEBIBYTE };

/** Bytes of answers that wait in memory for their readers. Above a limit, new reads and long answers are refused until readers catch up. */
export class BytesInFlight {
  readonly #limits: BytesInFlightLimits;
  readonly #bytes = new BytesOfUsers();

  constructor(limits: BytesInFlightLimits = DEFAULT_LIMITS) {
    this.#limits = limits;
  }

  /** Throws 503 with `Retry-After` if the user, or all users together, leave too much unread. */
  check(user: string): void {
    const own = this.#bytes.of(user) >= this.#limits.perUser;
    if (!own && this.#bytes.total < this.#limits.inTotal && this.#bytes.hasRoom(user, 0)) return;
    throw new Problem(
      'GENERAL_INTERNAL_ERROR',
      own
        ? 'Your open answers hold too many unread bytes. Read them or close their connections, then try again.'
        : 'Open answers hold too many unread bytes. Try again.',
      { statusCode: 503, title: 'Unavailable', headers: { 'Retry-After': '2' } },
    );
  }

  /** Counts waiting bytes until the returned function is called. */
  wait(user: string, bytes: number): () => void {
    this.#bytes.add(user, bytes);
    let waits = true;
    return () => {
      if (waits) this.#bytes.add(user, -bytes);
      waits = false;
    };
  }
}
