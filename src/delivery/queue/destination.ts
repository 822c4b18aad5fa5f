import { Fifo } from './fifo.ts';

/** `unproven`: nothing has come back yet. `failing`: the last attempt failed. */
export type Standing = 'proven' | 'unproven' | 'failing';

const LARGEST_WINDOW = 8;

/**
 * Where a user's deliveries go: an owner and an origin (scheme, host, port). Its window says how many attempts may be in flight: one at first, one
 * more with each success up to eight, half with each failure. New events go before retries.
 */
export class Destination<Job> {
  readonly owner: string;
  readonly origin: string;
  readonly #fresh = new Fifo<Job>();
  readonly #retries = new Fifo<Job>();
  #window = 1;
  inFlight = 0;
  standing: Standing = 'unproven';

  constructor(owner: string, origin: string) {
    this.owner = owner;
    this.origin = origin;
  }

  /** Which of its jobs would go next, if it may send now. */
  get ready(): 'fresh' | 'retry' | null {
    if (this.inFlight >= this.#window) return null;
    if (this.#fresh.length > 0) return 'fresh';
    return this.#retries.length > 0 ? 'retry' : null;
  }

  get waiting(): number {
    return this.#fresh.length + this.#retries.length;
  }

  /** Neither waiting nor in flight. */
  get idle(): boolean {
    return this.inFlight === 0 && this.waiting === 0;
  }

  push(job: Job, retry: boolean): void {
    (retry ? this.#retries : this.#fresh).push(job);
  }

  take(): Job | undefined {
    return this.#fresh.shift() ?? this.#retries.shift();
  }

  succeeded(): void {
    this.standing = 'proven';
    this.#window = Math.min(LARGEST_WINDOW, this.#window + 1);
  }

  failed(): void {
    this.standing = 'failing';
    this.#window = Math.max(1, this.#window >> 1);
  }
}
