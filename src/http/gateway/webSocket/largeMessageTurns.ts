import type { Clock } from '../../../clock.ts';
import { MemoryLooks } from '../../../supervision/memoryLooks.ts';
import { limitBetween, type Memory, processMemory } from '../../../supervision/scarceMemory.ts';

const TURNS_OF_USER = 1;
/** While memory is ample and while it is scarce. */
const [TURNS_IN_ALL, TURNS_WHILE_SCARCE] = [4, 2];
/** While memory is ample and while it is scarce. More shared turns would hold more memory than the server may give to large messages. */
const [SHARED_TURNS, SHARED_WHILE_SCARCE] = [4, 2];

interface Waiting {
  readonly subject: string;
  readonly start: () => void;
}

/** A turn, or the wait for it. */
export interface Turn {
  /** The user's next turn begins after `rest`. */
  end(rest?: Promise<unknown>): void;
  /**
   * Lets another user begin, once fewer than four turns are shared (two while memory is scarce). The turn continues, and the same user's next one waits
   * for its end.
   */
  share(): void;
}

/** Turns of users: one per user and four in all at a time, besides four shared ones. While memory is scarce: two, besides two. Others wait in order. */
export class Turns {
  readonly #taken = new Map<string, number>();
  readonly #waiting: Waiting[] = [];
  /** Turns that wait until another shared turn ends; then they are shared. */
  readonly #sharing = new Set<() => void>();
  readonly #memory: Memory;
  readonly #looks: MemoryLooks;
  #inAll = 0;
  #shared = 0;

  constructor(clock: Pick<Clock, 'pause'>, memory: Memory = processMemory) {
    this.#memory = memory;
    this.#looks = new MemoryLooks(clock, () => {
      this.#shareWaiting();
      this.#begin();
    });
  }

  /** Calls `start` when the turn begins, at once if one is free. */
  ask(subject: string, start: () => void): Turn {
    let state: 'waits' | 'runs' | 'runs beside others' | 'over' = 'waits';
    const asked: Waiting = {
      subject,
      start: () => {
        state = 'runs';
        start();
      },
    };
    const share = (): void => {
      if (state !== 'runs') return;
      if (this.#shared >= limitBetween(SHARED_TURNS, SHARED_WHILE_SCARCE, this.#memory)) {
        this.#sharing.add(share);
        return;
      }
      this.#sharing.delete(share);
      state = 'runs beside others';
      this.#inAll -= 1;
      this.#shared += 1;
      this.#begin();
    };
    const end = (rest?: Promise<unknown>): void => {
      const before = state;
      state = 'over';
      if (before === 'over') return;
      if (before === 'waits') {
        this.#waiting.splice(this.#waiting.indexOf(asked), 1);
        this.#updateLooks();
        return;
      }
      this.#sharing.delete(share);
      if (before === 'runs') this.#inAll -= 1;
      else this.#shared -= 1;
      this.#shareWaiting();
      if (rest) void rest.then(() => this.#leave(subject));
      else this.#leave(subject);
      this.#begin();
    };
    this.#waiting.push(asked);
    this.#begin();
    return { end, share };
  }

  /** Whether a user waits for one of the turns that others hold. */
  get isWanted(): boolean {
    return this.#waiting.some(({ subject }) => (this.#taken.get(subject) ?? 0) < TURNS_OF_USER);
  }

  #shareWaiting(): void {
    for (const share of [...this.#sharing]) share();
  }

  #leave(subject: string): void {
    const left = (this.#taken.get(subject) ?? 1) - 1;
    if (left === 0) this.#taken.delete(subject);
    else this.#taken.set(subject, left);
    this.#begin();
  }

  #begin(): void {
    this.#beginWaiting();
    this.#updateLooks();
  }

  #updateLooks(): void {
    this.#looks.continueWhile(this.#waiting.length > 0);
  }

  #beginWaiting(): void {
    while (this.#inAll < limitBetween(TURNS_IN_ALL, TURNS_WHILE_SCARCE, this.#memory)) {
      const next = this.#waiting.findIndex(({ subject }) => (this.#taken.get(subject) ?? 0) < TURNS_OF_USER);
      const [asked] = next < 0 ? [] : this.#waiting.splice(next, 1);
      if (!asked) return;
      this.#inAll += 1;
      this.#taken.set(asked.subject, (this.#taken.get(asked.subject) ?? 0) + 1);
      asked.start();
    }
  }
}
