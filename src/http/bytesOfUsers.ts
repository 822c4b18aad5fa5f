import { limitBetween, type Memory, processMemory } from '../supervision/scarceMemory.ts';
import type { HeldBy } from './noRoom.ts';

const MEBIBYTE = 1_048_576;
/** All kinds together, while memory is ample and while it is scarce. The limits of the kinds add up to more than twice as much. */
const [MOST_IN_ALL, MOST_WHILE_SCARCE] = [192 * MEBIBYTE, 48 * MEBIBYTE];
/** All kinds of one user, who cannot fill the common limit alone. The largest export needs nearly as much. */
const MOST_OF_USER = 72 * MEBIBYTE;
/** What the others may hold beside a user's large work while memory is scarce. */
const LITTLE = 16 * MEBIBYTE;
/** Up to this size of one kind, a user is not refused because of other kinds. */
const SMALL = MEBIBYTE;

/** Bytes of every kind that users hold in memory: bodies of requests, audio, unread answers, open reads. */
export class BytesInAll {
  readonly #memory: Memory;
  readonly #ofUsers = new Map<string, number>();
  #bytes = 0;

  constructor(memory: Memory = processMemory) {
    this.#memory = memory;
  }

  /**
   * Whose limit these bytes would exceed; `null` if they fit. While memory is scarce, a user may exceed what is left for all if the others hold little:
   * large work then takes turns.
   */
  filledBy(user: string, bytes: number): HeldBy | null {
    const own = this.#ofUsers.get(user) ?? 0;
    if (own + bytes > MOST_OF_USER) return 'user';
    if (this.#bytes + bytes <= limitBetween(MOST_IN_ALL, MOST_WHILE_SCARCE, this.#memory)) return null;
    return this.#bytes + bytes <= MOST_IN_ALL && this.#bytes - own <= LITTLE ? null : 'all';
  }

  add(user: string, bytes: number): void {
    this.#bytes += bytes;
    count(this.#ofUsers, user, bytes);
  }
}

const count = (ofUsers: Map<string, number>, user: string, bytes: number): void => {
  const own = (ofUsers.get(user) ?? 0) + bytes;
  if (own > 0) ofUsers.set(user, own);
  else ofUsers.delete(user);
};

const inAll = new BytesInAll();

/** How many bytes of one kind users hold in memory, each and all together. */
export class BytesOfUsers {
  readonly #inAll: BytesInAll;
  readonly #ofUsers = new Map<string, number>();
  #total = 0;

  /** By default it shares one limit with all others of the process. */
  constructor(all: BytesInAll = inAll) {
    this.#inAll = all;
  }

  get total(): number {
    return this.#total;
  }

  of(user: string): number {
    return this.#ofUsers.get(user) ?? 0;
  }

  /** Whose common limit of all kinds these bytes would exceed; `null` if they fit. A user with at most 1 MiB of this kind always has room. */
  filledBy(user: string, bytes: number): HeldBy | null {
    return this.of(user) + bytes <= SMALL ? null : this.#inAll.filledBy(user, bytes);
  }

  /** `bytes` are negative when they are released. */
  add(user: string, bytes: number): void {
    this.#total += bytes;
    this.#inAll.add(user, bytes);
    count(this.#ofUsers, user, bytes);
  }
}
