import { Fifo } from './fifo.ts';

/** How an origin's last attempt ended; `unproven` before the first one. Decides which destinations go first, and how many places they may take. */
export type Standing = 'proven' | 'unproven' | 'failing';

const LARGEST_WINDOW = 8;
const NEVER_ACCEPTED_BYTES_PER_SECOND = 1_048_576;
/** Consecutive failures at an origin that has never answered 2xx, after which new events wait. */
const FAILURES_BEFORE_HOLD = 5;
/** How long new events wait after each failure of such an origin. */
export const HELD_MILLISECONDS = 30_000;

/**
 * A destination is an owner and an origin (scheme, host, port). Its window limits attempts in flight: one at first, one more with each success up
 * to eight, half with each failure. New events are sent before retries.
 */
export class Destination<Job> {
  readonly owner: string;
  readonly origin: string;
  readonly #fresh = new Fifo<Job>();
  readonly #retries = new Fifo<Job>();
  #window = 1;
  inFlight = 0;
  /** It has answered 2xx at least once. */
  #hasAccepted = false;
  /** It has had its share of bytes for now. */
  throttled = false;
  /** New events wait. Retries are sent when they are due. */
  held = false;
  #failuresInRow = 0;
  standing: Standing = 'unproven';

  constructor(owner: string, origin: string) {
    this.owner = owner;
    this.origin = origin;
  }

  /** The next job, if it may be sent now. */
  get ready(): 'fresh' | 'retry' | null {
    if (this.throttled || this.inFlight >= this.#window) return null;
    if (this.#fresh.length > 0 && !this.held) return 'fresh';
    return this.#retries.length > 0 ? 'retry' : null;
  }

  get waiting(): number {
    return this.#fresh.length + this.#retries.length;
  }

  /** Nothing waits or is in flight, and it is neither throttled nor held. */
  get idle(): boolean {
    return this.inFlight === 0 && this.waiting === 0 && !this.throttled && !this.held;
  }

  /**
   * How long to throttle after an attempt that sent `bytes` in `milliseconds`. An origin that has never answered 2xx may belong to someone who did
   * not ask for webhooks: it gets at most 1 MiB a second from one user, one attempt at a time.
   */
  throttleAfter(bytes: number, milliseconds: number): number {
    return this.#hasAccepted ? 0 : Math.max(0, Math.ceil((bytes / NEVER_ACCEPTED_BYTES_PER_SECOND) * 1_000 - milliseconds));
  }

  /**
   * Whether new events must wait after a failure: the origin has never answered 2xx and has failed several times in a row. It then gets one new
   * event at a time, and the first 2xx releases the others.
   */
  get shouldHold(): boolean {
    return !this.#hasAccepted && this.#failuresInRow >= FAILURES_BEFORE_HOLD;
  }

  push(job: Job, retry: boolean): void {
    (retry ? this.#retries : this.#fresh).push(job);
  }

  take(): Job | undefined {
    return (this.held ? undefined : this.#fresh.shift()) ?? this.#retries.shift();
  }

  succeeded(): void {
    this.standing = 'proven';
    this.#hasAccepted = true;
    this.#failuresInRow = 0;
    this.held = false;
    this.#window = Math.min(LARGEST_WINDOW, this.#window + 1);
  }

  failed(): void {
    this.standing = 'failing';
    this.#failuresInRow += 1;
    this.#window = Math.max(1, this.#window >> 1);
  }
}
