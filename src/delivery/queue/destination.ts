import { Fifo } from './fifo.ts';
import { type Job, KINDS, type Kind, kindOf } from './job.ts';

/** Limits of one user and origin. */
export interface OriginLimits {
  /** Attempts at a time. */
  readonly attempts: number;
  /** Failures in a row after which the origin is held. */
  readonly holdFailures: number;
  /** Between two attempts at an origin that is held. */
  readonly holdMilliseconds: number;
}

/**
 * A destination is an owner and an origin (scheme, host, port). After some failures in a row it is held: it gets one attempt at a time, with a pause
 * after each, until one succeeds. What a person asks for is sent all the same; of a recovery, until as many of its deliveries have failed.
 */
export class Destination {
  readonly owner: string;
  readonly origin: string;
  readonly #limits: OriginLimits;
  readonly #waiting: Readonly<Record<Kind, Fifo<Job>>> = { asked: new Fifo(), fresh: new Fifo(), recovered: new Fifo(), retry: new Fifo() };
  #inFlight = 0;
  #failuresInRow = 0;
  /** The newest recovery, and how many of its deliveries have failed in a row. */
  #recovery = { causedAt: '', failures: 0 };
  #held = false;
  /** Tells pauses apart. */
  #pauses = 0;

  constructor(owner: string, origin: string, limits: OriginLimits) {
    this.owner = owner;
    this.origin = origin;
    this.#limits = limits;
  }

  /** The kind of the next job, if one may be sent now. */
  get ready(): Kind | null {
    if (this.#inFlight >= this.#limits.attempts) return null;
    return KINDS.find((kind) => this.#waiting[kind].length > 0 && (!this.#held || this.#ignoresHold(kind))) ?? null;
  }

  get waiting(): number {
    return KINDS.reduce((sum, kind) => sum + this.#waiting[kind].length, 0);
  }

  /** Nothing waits or is in flight, and it is not held. */
  get idle(): boolean {
    return this.#inFlight === 0 && !this.#held && this.waiting === 0;
  }

  push(job: Job): void {
    const kind = kindOf(job);
    // Tells recoveries apart.
    const { causedAt } = job.pending.scheduling;
    if (kind === 'recovered' && causedAt > this.#recovery.causedAt) this.#recovery = { causedAt, failures: 0 };
    this.#waiting[kind].push(job);
  }

  /** The next job, if one may be sent now. If it is sent, call `begin`. */
  take(): Job | undefined {
    const { ready } = this;
    return ready === null ? undefined : this.#waiting[ready].shift();
  }

  /** Returns what to call when the attempt has ended. */
  begin(job: Job): (endpoint: 'works' | 'fails' | 'untested') => { readonly pause: number | null } {
    const kind = kindOf(job);
    this.#inFlight += 1;
    const isProbe = this.#isFailing && !this.#ignoresHold(kind);
    // No other one until it has ended.
    if (isProbe) this.#held = true;
    return (endpoint) => {
      this.#inFlight -= 1;
      if (endpoint === 'works') this.#succeeded();
      else if (endpoint === 'fails') this.#failed(kind);
      else if (isProbe) this.#held = false;
      const begins = endpoint === 'fails' && this.#isFailing && (isProbe || !this.#held);
      if (begins) this.#held = true;
      return { pause: begins ? ++this.#pauses : null };
    };
  }

  /** Ends a pause, unless a success has ended it, or another has begun. */
  resume(pause: number): void {
    if (pause === this.#pauses) this.#held = false;
  }

  get #isFailing(): boolean {
    return this.#failuresInRow >= this.#limits.holdFailures;
  }

  #ignoresHold(kind: Kind): boolean {
    return kind === 'asked' || (kind === 'recovered' && this.#recovery.failures < this.#limits.holdFailures);
  }

  #succeeded(): void {
    this.#failuresInRow = 0;
    this.#recovery.failures = 0;
    this.#held = false;
    this.#pauses += 1;
  }

  #failed(kind: Kind): void {
    this.#failuresInRow += 1;
    if (kind === 'recovered') this.#recovery.failures += 1;
  }
}
