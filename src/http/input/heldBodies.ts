import { BytesOfUsers } from '../bytesOfUsers.ts';
import { noRoom, noRoomText, tooMuchHeld } from '../noRoom.ts';

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
  readonly #bytes: BytesOfUsers;

  constructor(limits: HeldBodiesLimits = DEFAULT_LIMITS, bytes = new BytesOfUsers()) {
    this.#limits = limits;
    this.#bytes = bytes;
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
      throw tooMuchHeld('Your open requests hold too many bytes. Wait for some answers, then try again.');
    const full = this.#bytes.total > held && this.#bytes.total + bytes > this.#limits.inTotal;
    const heldBy = full ? 'all' : this.#bytes.filledBy(user, bytes);
    if (heldBy) throw heldBy === 'user' ? tooMuchHeld(noRoomText(heldBy)) : noRoom(heldBy);
  }
}
