import { limitReached, unavailable } from '../../domain/problem.ts';
import type { Limits } from '../../limits.ts';

const MEBIBYTE = 1_048_576;
/** Up to here, a user is never refused because of others. */
const ALWAYS_SERVED = MEBIBYTE;

/** The share of one request, socket or answer in the budget. */
export interface HeldMemory {
  /** Counts bytes that are about to be held. Throws 429 if the user holds too much, and 503 if all users together do. */
  take(bytes: number): void;
  /** Counts bytes that are already here, without refusing them. */
  add(bytes: number): void;
  /** Gives some of them back. */
  give(bytes: number): void;
  /** Gives all of them back. Further calls do nothing. */
  release(): void;
}

/**
 * The memory for what waits: bodies of requests, frames, answers, what arrived on sockets. One for each server. Bytes are counted where they are held,
 * by user; `MEMORY_PER_USER_MIB` and `MEMORY_TOTAL_MIB` limit them.
 */
export class MemoryBudget {
  readonly #perUser: number;
  readonly #inAll: number;
  readonly #ofUsers = new Map<string, number>();
  #total = 0;

  constructor({ memoryPerUserMib, memoryTotalMib }: Pick<Limits, 'memoryPerUserMib' | 'memoryTotalMib'>) {
    this.#perUser = memoryPerUserMib * MEBIBYTE;
    this.#inAll = memoryTotalMib * MEBIBYTE;
  }

  /** Bytes of all users. */
  get total(): number {
    return this.#total;
  }

  of(user: string): number {
    return this.#ofUsers.get(user) ?? 0;
  }

  /** Throws 429 or 503 with `Retry-After` if there is no room for these bytes of the user. */
  check(user: string, bytes = 0): void {
    const own = this.of(user) + bytes;
    if (own <= ALWAYS_SERVED) return;
    if (own > this.#perUser) throw limitReached(OWN, 1, { title: 'Too much memory held' });
    if (this.#total + bytes > this.#inAll) throw unavailable(ALL);
  }

  /** Whether `check` would throw. */
  isFull(user: string, bytes = 0): boolean {
    const own = this.of(user) + bytes;
    return own > ALWAYS_SERVED && (own > this.#perUser || this.#total + bytes > this.#inAll);
  }

  /** For something new of a user that will hold memory. */
  open(user: string): HeldMemory {
    let held = 0;
    let isOpen = true;
    const add = (bytes: number): void => {
      if (!isOpen) return;
      held += bytes;
      this.#count(user, bytes);
    };
    return {
      take: (bytes) => {
        this.check(user, bytes);
        add(bytes);
      },
      add,
      give: (bytes) => add(-bytes),
      release: () => {
        add(-held);
        isOpen = false;
      },
    };
  }

  #count(user: string, bytes: number): void {
    this.#total += bytes;
    const own = this.of(user) + bytes;
    if (own > 0) this.#ofUsers.set(user, own);
    else this.#ofUsers.delete(user);
  }
}

const OWN = 'Your requests, answers and sockets hold too much memory. Read or close some of them, then try again.';
const ALL = 'The requests, answers and sockets of all users hold too much memory. Try again.';
