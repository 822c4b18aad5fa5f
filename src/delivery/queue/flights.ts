import type { Clock } from '../../clock.ts';
import { AttemptTimedOut, BodyTimedOut, InFlight } from './flight.ts';

export interface AttemptLimits {
  /** Attempts in flight on this node that have waited for headers for less than a second. */
  readonly attempts: number;
  /** Additional attempts that have waited longer. */
  readonly slowAttempts: number;
  /** Time limit of one attempt, from the name look-up to the headers. */
  readonly timeoutMilliseconds: number;
}

const BODY_MILLISECONDS = 1_000;
const SLOW_MILLISECONDS = 1_000;
/** The same while others wait for a place, so that hanging hosts do not hold them up for a second. */
const SLOW_WHILE_CROWDED_MILLISECONDS = 100;

/**
 * The running attempts of a node, with their places and time limits. An attempt returns its place when it ends, or after a second without headers
 * (sooner if others wait for a place). Then it counts as slow, so that hanging hosts cannot take all places.
 */
export class Flights {
  readonly #clock: Clock;
  readonly #limits: AttemptLimits;
  /** Whether something could be sent if it had a place. */
  readonly #othersWait: () => boolean;
  /** Called when slow attempts have given up their places. */
  readonly #onFreed: () => void;
  /** In the order of their start. */
  readonly #all = new Set<InFlight>();
  #slow = 0;
  #whenEmpty: (() => void) | null = null;

  constructor(clock: Clock, limits: AttemptLimits, { othersWait, onFreed }: { othersWait: () => boolean; onFreed: () => void }) {
    this.#clock = clock;
    this.#limits = limits;
    this.#othersWait = othersWait;
    this.#onFreed = onFreed;
  }

  get size(): number {
    return this.#all.size;
  }

  /** Those that have waited long for headers. */
  get slow(): number {
    return this.#slow;
  }

  /** Every place of the node is taken. */
  get full(): boolean {
    return this.#all.size - this.#slow >= this.#limits.attempts;
  }

  begin(): InFlight {
    const flight = new InFlight(() => void this.#limitBody(flight));
    this.#all.add(flight);
    void this.#limitHeaders(flight);
    return flight;
  }

  end(flight: InFlight): void {
    flight.ended();
    this.#all.delete(flight);
    if (flight.slow) this.#slow -= 1;
    if (this.#all.size === 0) this.#whenEmpty?.();
  }

  /** Resolves when all have ended. They are aborted after the grace period. Call it once, when no more begin. */
  async stop(graceMilliseconds: number): Promise<void> {
    if (this.#all.size === 0) return;
    const over = new AbortController();
    const empty = new Promise<void>((resolve) => {
      this.#whenEmpty = resolve;
    });
    await Promise.race([empty, this.#clock.pause(graceMilliseconds, over.signal)]);
    over.abort();
    for (const flight of this.#all) flight.abort(new Error('the node is stopping'));
    if (this.#all.size > 0) await empty;
  }

  /** An attempt that waits long for headers gives up its place, and is aborted at its timeout. */
  async #limitHeaders(flight: InFlight): Promise<void> {
    const { timeoutMilliseconds } = this.#limits;
    const until = async (from: number, to: number) => (await this.#clock.pause(Math.max(0, to - from), flight.headers)) === 'elapsed';
    if (!(await until(0, Math.min(SLOW_WHILE_CROWDED_MILLISECONDS, timeoutMilliseconds)))) return;
    if (this.full && this.#othersWait()) this.#giveUpPlace(flight);
    if (!(await until(SLOW_WHILE_CROWDED_MILLISECONDS, Math.min(SLOW_MILLISECONDS, timeoutMilliseconds)))) return;
    this.#giveUpPlace(flight);
    if (await until(SLOW_MILLISECONDS, timeoutMilliseconds)) flight.abort(new AttemptTimedOut());
  }

  async #limitBody(flight: InFlight): Promise<void> {
    if ((await this.#clock.pause(BODY_MILLISECONDS, flight.body)) === 'elapsed') flight.abort(new BodyTimedOut());
  }

  #giveUpPlace(flight: InFlight): void {
    if (flight.slow || this.#slow >= this.#limits.slowAttempts) return;
    flight.slow = true;
    this.#slow += 1;
    this.#onFreed();
  }
}
