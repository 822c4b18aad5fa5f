import type { ServerResponse } from 'node:http';
import type { Clock } from '../../clock.ts';
import { limitBetween, type Memory, processMemory } from '../../supervision/scarceMemory.ts';
import { connectionClosed } from './errors.ts';

/** Short requests of one user while others ask too. */
interface Share {
  /** Most of them that are handled at the same time. Each holds what it has read while it waits for the event loop. */
  readonly together: number;
  /** Most of them that begin in one turn of the event loop. Many are answered within a turn, and are in hand only then. */
  readonly inTurn: number;
}

/** Of both, while the event loop is busy: while memory is ample, and while it is scarce. */
const [MOST_WHILE_BUSY, MOST_WHILE_SCARCE] = [2, 1];
/** The event loop notices only after a quarter of a second that a burst of heavy requests has made it busy. */
const WHILE_FREE: Share = { together: 16, inTurn: 4 };
/** Waiting requests that begin in one turn of the event loop when they need not wait any longer: all at once would make it busy again. */
const MOST_AT_ONCE = 8;
/** After this time, a request that waits for its client releases its place. */
const SHORT_MILLISECONDS = 100;
/** After this time, any request releases its place on a busy loop, where a request that only computes may well take longer than a short one. */
const LONG_MILLISECONDS = 1_000;
/** How long a user counts as asking after a request and after its answer. */
const ACTIVE_MILLISECONDS = 1_000;
/** How long a user counts as asking while a request is in hand: others may be the reason why it takes long. */
const ACTIVE_IN_HAND_MILLISECONDS = 10_000;

/** Among so many other users, one who has twice as many requests in hand takes little from each, and a look at all would cost too much. */
const MANY_USERS = 8;

interface Line {
  /** When each request in hand began, the oldest first. */
  readonly running: Map<ServerResponse, number>;
  readonly waiting: Map<ServerResponse, { readonly begin: () => void; readonly refuse: (reason: Error) => void }>;
  looking: boolean;
  /** Requests that have begun in this turn of the event loop. */
  begun: number;
}

/** Whether a request waits for the rest of its body, or for its answer to be read. */
const waitsForClient = ({ req, headersSent }: ServerResponse): boolean => headersSent || !req.complete;

/** Requests that wait for their turn, or are being handled and wait for the server. Counts up to `most`. */
const inHand = ({ running, waiting }: Line, now: number, most: number): number => {
  let count = waiting.size;
  for (const [outgoing, since] of running) {
    if (count >= most) return most;
    if (now - since <= ACTIVE_IN_HAND_MILLISECONDS && !waitsForClient(outgoing)) count += 1;
  }
  return Math.min(count, most);
};

/**
 * Shares the event loop between users by their requests. While others ask too and the loop is busy, a user has at most as many short requests in hand
 * as another one wants, and at most two (one while memory is scarce). While the loop has time to spare, it is 16. Further ones wait: someone who sends hundreds at once delays their own
 * requests, not those of others.
 */
export class RequestTurns {
  readonly #clock: Clock;
  readonly #load: { readonly busy: boolean };
  readonly #memory: Memory;
  readonly #lines = new Map<string, Line>();
  /** When each user last sent a request or got an answer. */
  readonly #asking = new Map<string, number>();

  constructor(clock: Clock, load: { readonly busy: boolean }, memory: Memory = processMemory) {
    this.#clock = clock;
    this.#load = load;
    this.#memory = memory;
  }

  get #share(): Share {
    if (!this.#load.busy) return WHILE_FREE;
    const most = Math.round(limitBetween(MOST_WHILE_BUSY, MOST_WHILE_SCARCE, this.#memory));
    return { together: most, inTurn: most };
  }

  /** Resolves when the user's request may be handled; rejects if its connection closes before. It leaves when `outgoing` closes. */
  enter(user: string, outgoing: ServerResponse): Promise<void> | undefined {
    this.#asking.set(user, this.#clock.monotonic());
    return this.#enter(user, outgoing);
  }

  /** Waits for a place again if the request has released it, for instance while its body arrived. Resolves and rejects as `enter`. */
  again(user: string, outgoing: ServerResponse): Promise<void> | undefined {
    if (this.#lines.get(user)?.running.has(outgoing)) return undefined;
    return this.enter(user, outgoing);
  }

  /** Like `enter`, for a request without a caller. It limits no user: one such request a second would limit them all. */
  enterFrom(address: string, outgoing: ServerResponse): Promise<void> | undefined {
    return this.#enter(`address ${address}`, outgoing);
  }

  #enter(user: string, outgoing: ServerResponse): Promise<void> | undefined {
    // Its close event has already fired.
    if (outgoing.destroyed) throw connectionClosed();
    const line = this.#lineOf(user);
    outgoing.once('close', () => this.#leave(user, line, outgoing));
    if (line.waiting.size === 0 && this.#hasPlace(user, line)) {
      this.#begin(user, line, outgoing);
      return undefined;
    }
    return new Promise((begin, refuse) => {
      line.waiting.set(outgoing, { begin, refuse });
      if (!line.looking) void this.#look(user, line);
    });
  }

  /** The most requests that another user has in hand, up to `most` and at least one; 0 if no one else asks. */
  #inHandOfAnother(user: string, most: number): number {
    const now = this.#clock.monotonic();
    let [found, users] = [0, 0];
    for (const [other, at] of this.#asking) {
      if (other === user) continue;
      const line = this.#lines.get(other);
      const count = line ? inHand(line, now, most) : 0;
      if (count > 0 || now - at <= ACTIVE_MILLISECONDS) {
        found = Math.max(found, count, 1);
        users += 1;
        if (found >= most || users === MANY_USERS) return Math.max(found, most);
      } else if (!line) this.#asking.delete(other);
    }
    return found;
  }

  #lineOf(user: string): Line {
    const known = this.#lines.get(user);
    if (known) return known;
    const line: Line = { running: new Map(), waiting: new Map(), looking: false, begun: 0 };
    this.#lines.set(user, line);
    return line;
  }

  #begin(user: string, line: Line, outgoing: ServerResponse): void {
    line.running.set(outgoing, this.#clock.monotonic());
    line.begun += 1;
    if (line.begun > 1) return;
    setImmediate(() => {
      line.begun = 0;
      this.#admit(user, line, this.#share.together - line.running.size);
      this.#forgetEmpty(user, line);
    });
  }

  #hasPlace(user: string, { running, begun }: Line): boolean {
    const now = this.#clock.monotonic();
    const { busy } = this.#load;
    for (const [outgoing, since] of running) {
      const age = now - since;
      if (age < SHORT_MILLISECONDS) break;
      if (!busy || age >= LONG_MILLISECONDS || waitsForClient(outgoing)) running.delete(outgoing);
    }
    if (running.size === 0 && begun === 0) return true;
    const { together, inTurn } = this.#share;
    const others = this.#inHandOfAnother(user, together);
    if (others === 0) return true;
    return running.size < (busy ? others : together) && begun < inTurn;
  }

  #leave(user: string, line: Line, outgoing: ServerResponse): void {
    line.running.delete(outgoing);
    line.waiting.get(outgoing)?.refuse(connectionClosed());
    line.waiting.delete(outgoing);
    if (this.#asking.has(user)) this.#asking.set(user, this.#clock.monotonic());
    this.#admit(user, line);
    this.#forgetEmpty(user, line);
  }

  #forgetEmpty(user: string, line: Line): void {
    if (line.running.size + line.waiting.size + line.begun === 0 && this.#lines.get(user) === line) this.#lines.delete(user);
  }

  #admit(user: string, line: Line, most = MOST_AT_ONCE): void {
    let left = most;
    for (const [outgoing, { begin }] of line.waiting) {
      if (left <= 0 || !this.#hasPlace(user, line)) return;
      left -= 1;
      line.waiting.delete(outgoing);
      this.#begin(user, line, outgoing);
      begin();
    }
  }

  /** Releases the places of requests that take long, while others wait for them. */
  async #look(user: string, line: Line): Promise<void> {
    line.looking = true;
    while (line.waiting.size > 0) {
      await this.#clock.pause(SHORT_MILLISECONDS / 2);
      this.#admit(user, line);
    }
    line.looking = false;
  }
}
