import type { ServerResponse } from 'node:http';
import type { Clock } from '../../clock.ts';
import { limitBetween, type Memory, processMemory } from '../../supervision/scarceMemory.ts';
import { connectionClosed } from './errors.ts';

/**
 * Short requests of one user that are handled at the same time, and that begin in one turn of the event loop, while it is busy and others ask too: while memory is
 * ample, and while it is scarce. Each holds what it has read while it waits for the event loop.
 */
const [MOST_TOGETHER, MOST_WHILE_SCARCE] = [2, 1];
/** Waiting requests that begin in one turn of the event loop when they need not wait any longer: all at once would make it busy again. */
const MOST_AT_ONCE = 8;
/** After this time, a request that waits for its client releases its place. */
const SHORT_MILLISECONDS = 100;
/** After this time, any request releases its place. On a busy loop, a request that only computes may well take longer than a short one. */
const LONG_MILLISECONDS = 1_000;
/** How long a user counts as asking after a request. */
const ACTIVE_MILLISECONDS = 1_000;

interface Line {
  /** When each request in hand began, the oldest first. */
  readonly running: Map<ServerResponse, number>;
  readonly waiting: Map<ServerResponse, { readonly begin: () => void; readonly refuse: (reason: Error) => void }>;
  looking: boolean;
  /** Requests that have begun in this turn of the event loop. Many are answered within a turn, and hold no place at its end. */
  begun: number;
}

/** Whether a request waits for the rest of its body, or for its answer to be read. */
const waitsForClient = ({ req, headersSent }: ServerResponse): boolean => headersSent || !req.complete;

/**
 * Shares the event loop between users by their requests. While the loop is busy and others ask too, a user has at most two short requests in hand (one while
 * memory is scarce), and as many begin in one turn of the event loop. Further ones wait: someone who sends hundreds at once delays their own requests, not those of others.
 */
export class RequestTurns {
  readonly #clock: Clock;
  readonly #load: { readonly busy: boolean };
  readonly #memory: Memory;
  readonly #lines = new Map<string, Line>();
  /** The user who asked last, and the last one before who is another. */
  #newest = { user: '', at: Number.NEGATIVE_INFINITY };
  #other = this.#newest;

  constructor(clock: Clock, load: { readonly busy: boolean }, memory: Memory = processMemory) {
    this.#clock = clock;
    this.#load = load;
    this.#memory = memory;
  }

  get #most(): number {
    return Math.round(limitBetween(MOST_TOGETHER, MOST_WHILE_SCARCE, this.#memory));
  }

  /** Resolves when the user's request may be handled; rejects if its connection closes before. It leaves when `outgoing` closes. */
  enter(user: string, outgoing: ServerResponse): Promise<void> | undefined {
    this.#note(user);
    return this.#enter(user, outgoing);
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

  #note(user: string): void {
    if (this.#newest.user !== user) this.#other = this.#newest;
    this.#newest = { user, at: this.#clock.monotonic() };
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
      this.#admit(user, line, this.#most - line.running.size);
      this.#forgetEmpty(user, line);
    });
  }

  #hasPlace(user: string, { running, begun }: Line): boolean {
    if (!this.#load.busy) return true;
    const now = this.#clock.monotonic();
    for (const [outgoing, since] of running) {
      const age = now - since;
      if (age < SHORT_MILLISECONDS) break;
      if (age >= LONG_MILLISECONDS || waitsForClient(outgoing)) running.delete(outgoing);
    }
    const other = this.#newest.user === user ? this.#other : this.#newest;
    return Math.max(running.size, begun) < this.#most || now - other.at > ACTIVE_MILLISECONDS;
  }

  #leave(user: string, line: Line, outgoing: ServerResponse): void {
    line.running.delete(outgoing);
    line.waiting.get(outgoing)?.refuse(connectionClosed());
    line.waiting.delete(outgoing);
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
