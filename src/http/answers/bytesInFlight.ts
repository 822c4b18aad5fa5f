import { BytesOfUsers } from '../bytesOfUsers.ts';
import { type HeldBy, noRoom } from '../noRoom.ts';

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
    const heldBy = this.#filledBy(user);
    if (heldBy) throw noRoom(heldBy);
  }

  /** Counts waiting bytes until the returned function is called. */
  wait(user: string, bytes: number): () => void {
    return this.#bytes.hold(user, bytes);
  }

  #filledBy(user: string): HeldBy | null {
    if (this.#bytes.of(user) >= this.#limits.perUser) return 'user';
    return this.#bytes.total >= this.#limits.inTotal ? 'all' : this.#bytes.filledBy(user, 0);
  }
}
