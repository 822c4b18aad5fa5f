import type { ServerResponse } from 'node:http';
import type { Clock } from '../../clock.ts';
import { limitBetween, type Memory, processMemory } from '../../supervision/scarceMemory.ts';
import { connectionClosed } from './errors.ts';

/** Limit of short requests of a user while the event loop is busy and others ask: with ample memory, and with scarce memory. Each holds what it has read. */
const [MOST_WHILE_BUSY, MOST_WHILE_SCARCE] = [2, 1];
/**
 * Limits of short requests of a user while the event loop has time to spare and others ask: of those younger than 100 ms, of all, and of those that begin in one
 * turn. `LoopLoad` notices a burst up to a quarter of a second late; these bound it until then.
 */
const [MOST_YOUNG, MOST_WHILE_FREE, MOST_IN_TURN] = [16, 64, 4];
/** Waiting requests that begin in one turn of the event loop when they need not wait any longer: all at once would make it busy again. */
const MOST_AT_ONCE = 8;
/** After this time, a request that waits for its client releases its place. */
const SHORT_MILLISECONDS = 100;
/** After this time, any request releases its place. On a busy loop, a request that only computes may well take longer than a short one. */
const LONG_MILLISECONDS = 1_000;
/** How long a user counts as asking after a request and after its answer. */
const ACTIVE_MILLISECONDS = 1_000;
/** How long a request in hand makes its user count as asking: other users may be slowing it down. */
const IN_HAND_MILLISECONDS = 10_000;
/** With this many other users who ask, one who has two requests in hand takes little from each, and a look at all would cost too much. */
const MANY_USERS = 8;

interface Line {
  /** Whether it is the line of a user. Those of addresses have no limit while the loop has time to spare. */
  readonly ofUser: boolean;
  /** When each request that has a place began, the oldest first. */
  readonly running: Map<ServerResponse, number>;
  /** When each request that is being handled began, the oldest first: also those that have released their place. */
  readonly inHand: Map<ServerResponse, number>;
  readonly waiting: Map<ServerResponse, { readonly begin: () => void; readonly refuse: (reason: Error) => void }>;
  looking: boolean;
  /** Requests that have begun in this turn of the event loop. Many are answered within a turn, and hold no place at its end. */
  begun: number;
}

/** Whether a request waits for the rest of its body, or for its answer to be read. */
const waitsForClient = ({ req, headersSent }: ServerResponse): boolean => headersSent || !req.complete;

/** Requests that wait for their turn or have been in hand for at most ten seconds. Counts up to `most`. */
const wantedBy = ({ inHand, waiting }: Line, now: number, most: number): number => {
  let count = waiting.size;
  for (const since of inHand.values()) {
    if (count >= most) break;
    if (now - since <= IN_HAND_MILLISECONDS) count += 1;
  }
  return Math.min(count, most);
};

/**
 * Shares the event loop between users by their requests. While others ask too and the loop is busy, a user has at most two short requests in hand (one while
 * memory is scarce), and no more than another user has. While the loop has time to spare, the limit is 16. Further requests wait: someone who sends hundreds at
 * once delays their own requests, not those of others.
 */
export class RequestTurns {
  readonly #clock: Clock;
  readonly #load: { readonly busy: boolean };
  readonly #memory: Memory;
  readonly #lines = new Map<string, Line>();
  /** When each user last sent a request or got an answer, the oldest first. */
  readonly #asking = new Map<string, number>();

  constructor(clock: Clock, load: { readonly busy: boolean }, memory: Memory = processMemory) {
    this.#clock = clock;
    this.#load = load;
    this.#memory = memory;
  }

  /** Resolves when the user's request may be handled; rejects if its connection closes before. It leaves when `outgoing` closes. */
  enter(user: string, outgoing: ServerResponse): Promise<void> | undefined {
    // Its close event has already fired.
    if (outgoing.destroyed) throw connectionClosed();
    const line = this.#lineOf(user);
    this.#note(user);
    outgoing.once('close', () => {
      this.#note(user);
      this.#leave(user, line, outgoing);
    });
    return this.#enter(user, line, outgoing);
  }

  /** Waits for a place again if the request has released it, for instance while its body arrived. Resolves and rejects as `enter`. */
  again(user: string, outgoing: ServerResponse): Promise<void> | undefined {
    if (outgoing.destroyed) throw connectionClosed();
    const line = this.#lineOf(user);
    return line.running.has(outgoing) ? undefined : this.#enter(user, line, outgoing);
  }

  /** Like `enter`, for a request without a caller. It limits no user: one such request a second would limit them all. */
  enterFrom(address: string, outgoing: ServerResponse): Promise<void> | undefined {
    if (outgoing.destroyed) throw connectionClosed();
    const name = `address ${address}`;
    const line = this.#lineOf(name, false);
    outgoing.once('close', () => this.#leave(name, line, outgoing));
    return this.#enter(name, line, outgoing);
  }

  #enter(user: string, line: Line, outgoing: ServerResponse): Promise<void> | undefined {
    if (line.waiting.size === 0 && this.#hasPlace(user, line)) {
      this.#begin(user, line, outgoing);
      return undefined;
    }
    return new Promise((begin, refuse) => {
      line.waiting.set(outgoing, { begin, refuse });
      if (!line.looking) void this.#look(user, line);
    });
  }

  #note(user: string): void {
    const now = this.#clock.monotonic();
    this.#asking.delete(user);
    this.#asking.set(user, now);
    let looked = 0;
    for (const [other, at] of this.#asking) {
      if (now - at <= IN_HAND_MILLISECONDS || looked === 2) return;
      looked += 1;
      this.#asking.delete(other);
    }
  }

  /** The most requests that another user wants to have in hand, up to `most` and at least one; 0 if no one else asks. */
  #wantedByAnother(user: string, most: number): number {
    const now = this.#clock.monotonic();
    let [found, users] = [0, 0];
    for (const [other, at] of this.#asking) {
      if (other === user) continue;
      const line = this.#lines.get(other);
      const wanted = line ? wantedBy(line, now, most) : 0;
      if (wanted === 0 && now - at > ACTIVE_MILLISECONDS) {
        // Asking again adds it again.
        this.#asking.delete(other);
        continue;
      }
      found = Math.max(found, wanted, 1);
      users += 1;
      if (found >= most || users === MANY_USERS) return most;
    }
    return found;
  }

  #lineOf(user: string, ofUser = true): Line {
    const known = this.#lines.get(user);
    if (known) return known;
    const line: Line = { ofUser, running: new Map(), inHand: new Map(), waiting: new Map(), looking: false, begun: 0 };
    this.#lines.set(user, line);
    return line;
  }

  #begin(user: string, line: Line, outgoing: ServerResponse): void {
    const now = this.#clock.monotonic();
    line.running.set(outgoing, now);
    if (!line.inHand.has(outgoing)) line.inHand.set(outgoing, now);
    line.begun += 1;
    if (line.begun > 1) return;
    setImmediate(() => {
      line.begun = 0;
      this.#admit(user, line, this.#load.busy ? this.#mostWhileBusy - line.running.size : MOST_IN_TURN);
      this.#forgetEmpty(user, line);
    });
  }

  get #mostWhileBusy(): number {
    return Math.round(limitBetween(MOST_WHILE_BUSY, MOST_WHILE_SCARCE, this.#memory));
  }

  #hasPlace(user: string, { ofUser, running, begun }: Line): boolean {
    const now = this.#clock.monotonic();
    let old = 0;
    for (const [outgoing, since] of running) {
      const age = now - since;
      if (age < SHORT_MILLISECONDS) break;
      if (age >= LONG_MILLISECONDS || waitsForClient(outgoing)) running.delete(outgoing);
      else old += 1;
    }
    if (running.size + begun === 0) return true;
    if (!this.#load.busy) {
      const isFree = running.size - old < MOST_YOUNG && running.size < MOST_WHILE_FREE && begun < MOST_IN_TURN;
      return isFree || !ofUser || this.#wantedByAnother(user, 1) === 0;
    }
    const most = this.#mostWhileBusy;
    const wanted = this.#wantedByAnother(user, most);
    return wanted === 0 || Math.max(running.size, begun) < wanted;
  }

  #leave(user: string, line: Line, outgoing: ServerResponse): void {
    line.running.delete(outgoing);
    line.inHand.delete(outgoing);
    line.waiting.get(outgoing)?.refuse(connectionClosed());
    line.waiting.delete(outgoing);
    this.#admit(user, line);
    this.#forgetEmpty(user, line);
  }

  #forgetEmpty(user: string, line: Line): void {
    if (line.inHand.size + line.waiting.size + line.begun === 0 && this.#lines.get(user) === line) this.#lines.delete(user);
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
