import type { Clock } from '../../clock.ts';
import type { Standing } from './destination.ts';
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
const TICK_MILLISECONDS = 50;
const SLOW_MILLISECONDS = 1_000;
/** The same while others wait for a place, so that hanging hosts do not hold them up for a second. */
const SLOW_WHILE_CROWDED_MILLISECONDS = 100;

/** Share of the places that all destinations of a standing may take together. */
const SHARES: Readonly<Record<Standing, number>> = { proven: 1, unproven: 1, failing: 0.25 };

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
  readonly #placesTaken: Record<Standing, number> = { proven: 0, unproven: 0, failing: 0 };
  #slow = 0;
  #ticking = false;
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
    const { proven, unproven, failing } = this.#placesTaken;
    return proven + unproven + failing >= this.#limits.attempts;
  }

  /** Whether a destination of this standing may take one more place, unless the node is full. */
  hasPlaceFor(standing: Standing): boolean {
    return this.#placesTaken[standing] < Math.max(1, this.#limits.attempts * SHARES[standing]);
  }

  begin(standing: Standing): InFlight {
    const flight = new InFlight(this.#clock, standing);
    this.#placesTaken[standing] += 1;
    this.#all.add(flight);
    if (!this.#ticking) void this.#tick();
    return flight;
  }

  end(flight: InFlight): void {
    this.#all.delete(flight);
    if (flight.slow) this.#slow -= 1;
    else this.#placesTaken[flight.standing] -= 1;
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

  /** Checks running attempts for timeouts, as long as there are any. */
  async #tick(): Promise<void> {
    this.#ticking = true;
    while (this.#all.size > 0) {
      await this.#clock.pause(TICK_MILLISECONDS);
      const now = this.#clock.monotonic();
      const slowAfter = this.full && this.#othersWait() ? SLOW_WHILE_CROWDED_MILLISECONDS : SLOW_MILLISECONDS;
      let isPlaceFree = false;
      for (const flight of this.#all) {
        this.#abortIfLate(flight, now);
        isPlaceFree = this.#giveUpPlace(flight, now - slowAfter) || isPlaceFree;
      }
      if (isPlaceFree) this.#onFreed();
    }
    this.#ticking = false;
  }

  #abortIfLate(flight: InFlight, now: number): void {
    const age = now - flight.since;
    if (flight.waiting && age >= this.#limits.timeoutMilliseconds) flight.abort(new AttemptTimedOut());
    if (!flight.waiting && age >= BODY_MILLISECONDS) flight.abort(new BodyTimedOut());
  }

  /** Marks an attempt as slow if it has waited for headers since before `time`. Returns whether its place is free now. */
  #giveUpPlace(flight: InFlight, time: number): boolean {
    if (!flight.waiting || flight.slow || flight.since > time || this.#slow >= this.#limits.slowAttempts) return false;
    flight.slow = true;
    this.#slow += 1;
    this.#placesTaken[flight.standing] -= 1;
    return true;
  }
}
