import { limitBetween, type Memory, processMemory } from '../supervision/scarceMemory.ts';
import type { HeldBy } from './noRoom.ts';

const MEBIBYTE = 1_048_576;
/** All kinds together. The limits of the kinds add up to more than twice as much. */
const MOST_IN_ALL = 192 * MEBIBYTE;
/** All kinds of all users but the one who holds most, while memory is scarce. */
const OTHERS_WHILE_SCARCE = 48 * MEBIBYTE;
/** All kinds of one user. The largest export needs nearly as much. One user alone fills no common limit, even while memory is scarce. */
const MOST_OF_USER = 72 * MEBIBYTE;
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
   * Whose limit these bytes would exceed; `null` if they fit. The limit that falls as memory becomes scarce leaves out the user who holds most: large
   * work still has room then, and one user with much of it does not block the others.
   */
  filledBy(user: string, bytes: number): HeldBy | null {
    const own = (this.#ofUsers.get(user) ?? 0) + bytes;
    if (own > MOST_OF_USER) return 'user';
    const total = this.#bytes + bytes;
    if (total > MOST_IN_ALL) return 'all';
    const others = limitBetween(MOST_IN_ALL, OTHERS_WHILE_SCARCE, this.#memory);
    return total - own <= others || total - this.#mostOfUser <= others ? null : 'all';
  }

  get #mostOfUser(): number {
    let most = 0;
    for (const bytes of this.#ofUsers.values()) most = Math.max(most, bytes);
    return most;
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

  /** Counts bytes until the returned function is called, which may be called twice. */
  hold(user: string, bytes: number): () => void {
    this.add(user, bytes);
    let isHeld = true;
    return () => {
      if (isHeld) this.add(user, -bytes);
      isHeld = false;
    };
  }
}
