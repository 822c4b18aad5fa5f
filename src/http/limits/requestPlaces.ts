import type { Clock } from '../../clock.ts';
import { limitReached } from '../../domain/problem.ts';
import type { Limits } from '../../limits.ts';
import { OVER } from '../../supervision/aborted.ts';
import { connectionClosed } from '../errors/errors.ts';
import type { RequestEnd } from './requestEnd.ts';

/** The place of one request among those that are worked on. */
export interface Place {
  /** Leaves for good: the request is answered, or only waits from now on. May be called twice. */
  leave(): void;
  /** Leaves while the request waits for its client or for a stream. It takes a place again before this resolves or rejects. */
  outside<T>(wait: () => Promise<T>): Promise<T>;
}

interface Line {
  readonly name: string;
  readonly most: number;
  inFlight: number;
  readonly waiting: Set<() => void>;
}

type PlaceLimits = Pick<Limits, 'maxRequestsPerUser' | 'maxRequests' | 'maxRequestsPerAddress' | 'maxWaitingRequests' | 'requestWaitS'>;

/**
 * The requests that are worked on. Each user has a number of them, and a line for further ones. While all users together have too many, their lines take
 * turns. A request that waits for its body, its client or a stream holds no place.
 */
export class RequestPlaces {
  readonly #limits: PlaceLimits;
  readonly #clock: Pick<Clock, 'pause'>;
  readonly #lines = new Map<string, Line>();
  /** Lines with waiting requests, in the order of their turns. */
  readonly #turns = new Set<Line>();
  #inFlight = 0;
  #isAdmitting = false;

  constructor(limits: PlaceLimits, clock: Pick<Clock, 'pause'>) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** A place for a user's request, which it leaves at its end. Rejects with 429 if the line is full or the wait too long, or when the client leaves. */
  ofUser(subject: string, end: RequestEnd): Promise<Place> {
    return this.#take(`user ${subject}`, this.#limits.maxRequestsPerUser, end);
  }

  /** The same for a request without a credential. */
  ofAddress(address: string, end: RequestEnd): Promise<Place> {
    return this.#take(`address ${address}`, this.#limits.maxRequestsPerAddress, end);
  }

  async #take(name: string, most: number, end: RequestEnd): Promise<Place> {
    const line = this.#lineOf(name, most);
    if (line.waiting.size === 0 && this.#hasRoom(line)) this.#begin(line);
    else await this.#queue(line, end);
    const place = this.#place(line);
    end.add(place.leave);
    return place;
  }

  #place(line: Line): Place {
    let [isIn, isOver] = [true, false];
    const end = (): void => {
      if (isIn) this.#end(line);
      isIn = false;
    };
    return {
      leave: () => {
        isOver = true;
        end();
      },
      outside: async (wait) => {
        if (!isIn) return wait();
        end();
        try {
          return await wait();
        } finally {
          // Accepted work is never refused.
          if (!isOver) this.#begin(line);
          isIn = !isOver;
        }
      },
    };
  }

  #lineOf(name: string, most: number): Line {
    const known = this.#lines.get(name);
    if (known) return known;
    const line: Line = { name, most, inFlight: 0, waiting: new Set() };
    this.#lines.set(name, line);
    return line;
  }

  #hasRoom(line: Line): boolean {
    return line.inFlight < line.most && this.#inFlight < this.#limits.maxRequests;
  }

  #begin(line: Line): void {
    // A line without requests may have been forgotten.
    this.#lines.set(line.name, line);
    line.inFlight += 1;
    this.#inFlight += 1;
  }

  #end(line: Line): void {
    line.inFlight -= 1;
    this.#inFlight -= 1;
    this.#forgetIfEmpty(line);
    this.#admitSoon();
  }

  #forgetIfEmpty(line: Line): void {
    if (line.inFlight === 0 && line.waiting.size === 0) this.#lines.delete(line.name);
  }

  /** In another turn of the event loop, so that requests of others are read first. */
  #admitSoon(): void {
    if (this.#isAdmitting || this.#turns.size === 0) return;
    this.#isAdmitting = true;
    setImmediate(() => {
      this.#isAdmitting = false;
      if (this.#admit()) this.#admitSoon();
    });
  }

  /** Lets one waiting request of each line begin. Returns whether any did. */
  #admit(): boolean {
    let hasBegun = false;
    for (const line of [...this.#turns]) {
      const [next] = line.waiting;
      if (!next || !this.#hasRoom(line)) continue;
      line.waiting.delete(next);
      // Its next turn comes after those of the others.
      this.#turns.delete(line);
      if (line.waiting.size > 0) this.#turns.add(line);
      this.#begin(line);
      next();
      hasBegun = true;
    }
    return hasBegun;
  }

  async #queue(line: Line, end: RequestEnd): Promise<void> {
    const { maxWaitingRequests, requestWaitS } = this.#limits;
    if (line.waiting.size >= maxWaitingRequests)
      throw limitReached(`${maxWaitingRequests} of your requests are waiting already. Wait for some answers, then try again.`, 1);
    const over = new AbortController();
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        over.abort(OVER);
        resolve();
      };
      const refuse = (reason: Error): void => {
        over.abort(OVER);
        if (!line.waiting.delete(begin)) return;
        if (line.waiting.size === 0) this.#turns.delete(line);
        this.#forgetIfEmpty(line);
        reject(reason);
      };
      line.waiting.add(begin);
      this.#turns.add(line);
      end.add(() => refuse(connectionClosed()));
      void this.#clock.pause(requestWaitS * 1_000, over.signal).then((pause) => {
        if (pause === 'elapsed') refuse(limitReached('Your other requests take too long. Wait for some answers, then try again.', 1));
      });
    });
  }
}
