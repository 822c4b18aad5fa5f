import { EventEmitter } from 'node:events';
import type { Clock } from '../../clock.ts';
import { Destination, HELD_MILLISECONDS, type Standing } from './destination.ts';
import { DueHeap } from './dueHeap.ts';
import { Lane } from './lane.ts';

export interface DispatcherLimits {
  /** Attempts in flight on this node that have waited for headers for less than a second. */
  readonly attempts: number;
  /** Additional attempts that have waited longer. */
  readonly slowAttempts: number;
  /** Time limit of one attempt, from the name look-up to the headers. */
  readonly timeoutMilliseconds: number;
}

/** A delivery as the dispatcher sees it. */
export interface Job {
  readonly owner: string;
  /** Milliseconds since the epoch. */
  readonly dueAt: number;
  readonly retry: boolean;
  /** Where it goes now; `null` if it must not be sent any more. */
  origin(): string | null;
  /** The end of the pause that its endpoint asked for; `null` if it may go at `now`. Milliseconds since the epoch. */
  postponedTo(now: number): number | null;
  /** Makes one attempt and returns whether it succeeded; `null` if it does not count. Never rejects. */
  attempt(flight: Flight): Promise<boolean | null>;
}

/** A running attempt. */
export interface Flight {
  /** Call it before sending a body of `bytes`. */
  sending(bytes: number): void;
  /** Emits `abort` at the timeout, or when the node stops; `reason` says which. Lighter than an `AbortSignal`, and undici takes both. */
  readonly signal: EventEmitter & { readonly aborted: boolean; readonly reason: Error | undefined };
  /** Call it when the headers have arrived: the timeout ends, and the body gets a second. */
  arrived(): void;
}

/** The queues of a dispatcher, counted. */
export interface DispatcherLoad {
  /** Due, and waiting for a window, a free place or their turn. */
  readonly due: number;
  /** Due later. */
  readonly scheduled: number;
  readonly inFlight: number;
  /** Those in flight that have waited long for headers. */
  readonly slow: number;
  /** Pairs of owner and origin with something to send. */
  readonly destinations: number;
}

class FlightSignal extends EventEmitter {
  aborted = false;
  reason: Error | undefined;
}

class InFlight implements Flight {
  readonly signal = new FlightSignal();
  readonly standing: Standing;
  readonly #clock: Clock;
  since: number;
  waiting = true;
  slow = false;
  bytes = 0;

  constructor(clock: Clock, standing: Standing) {
    this.#clock = clock;
    this.since = clock.monotonic();
    this.standing = standing;
  }

  sending(bytes: number): void {
    this.bytes += bytes;
  }

  arrived(): void {
    this.waiting = false;
    this.since = this.#clock.monotonic();
  }

  abort(reason: Error): void {
    if (this.signal.aborted) return;
    this.signal.aborted = true;
    this.signal.reason = reason;
    this.signal.emit('abort');
  }
}

/** The attempt ran into its timeout. After an abort with any other reason, the attempt does not count. */
export class AttemptTimedOut extends Error {
  constructor() {
    super('no answer in time');
    this.name = 'AttemptTimedOut';
  }
}

/** The body took longer than its second. */
class BodyCutOff extends Error {}

const BODY_MILLISECONDS = 1_000;
const TICK_MILLISECONDS = 50;
const SLOW_MILLISECONDS = 1_000;
/** The same while others wait for a place, so that hanging hosts do not hold them up for a second. */
const SLOW_WHILE_CROWDED_MILLISECONDS = 100;
const REMEMBERED_IDLE = 10_000;

/** In this order: new events before retries, and failing destinations last. */
const LANES = (['fresh', 'retry'] as const).flatMap((turn) =>
  (['proven', 'unproven', 'failing'] as const).map((standing) => ({ turn, standing })),
);
/** Share of the places that all destinations of a standing may take together. */
const SHARES: Readonly<Record<Standing, number>> = { proven: 1, unproven: 1, failing: 0.25 };

/**
 * Decides what is sent when. A job waits in the heap until it is due, then in the queue of its destination until the destination's window, a free
 * place on the node and its owner's turn allow it. An attempt returns its place when it ends, or after a second without headers (sooner if others
 * wait for a place). Then it counts as slow, so that hanging hosts cannot take all places.
 */
export class Dispatcher {
  readonly #clock: Clock;
  readonly #limits: DispatcherLimits;
  readonly #due = new DueHeap<Job>();
  readonly #destinations = new Map<string, Destination<Job>>();
  /** Idle ones, kept for their window and standing; the longest idle first. */
  readonly #idle = new Map<string, Destination<Job>>();
  readonly #lanes = LANES.map(({ turn, standing }) => ({ turn, standing, lane: new Lane<Job>() }));
  /** In the order of their start. */
  readonly #flights = new Set<InFlight>();
  readonly #taken: Record<Standing, number> = { proven: 0, unproven: 0, failing: 0 };
  #slow = 0;
  /** Something could be sent but has no place. */
  #crowded = false;
  #ticking = false;
  #sleeping: { readonly until: number; readonly control: AbortController } | null = null;
  #stopped = false;
  #whenEmpty: (() => void) | null = null;

  constructor(clock: Clock, limits: DispatcherLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Running attempts. */
  get inFlight(): number {
    return this.#flights.size;
  }

  get load(): DispatcherLoad {
    let due = 0;
    for (const { waiting } of this.#destinations.values()) due += waiting;
    return { due, scheduled: this.#due.length, inFlight: this.#flights.size, slow: this.#slow, destinations: this.#destinations.size };
  }

  add(job: Job): void {
    if (this.#stopped) return;
    if (job.dueAt > this.#clock.now()) this.#wait(job.dueAt, job);
    else this.#enqueue(job);
    this.#pump();
  }

  /** Starts no further attempt. Running ones are aborted after the grace period. */
  async stop(graceMilliseconds: number): Promise<void> {
    this.#stopped = true;
    this.#sleeping?.control.abort();
    if (this.#flights.size === 0) return;
    const over = new AbortController();
    const empty = new Promise<void>((resolve) => {
      this.#whenEmpty = resolve;
    });
    const grace = this.#clock.pause(graceMilliseconds, over.signal);
    await Promise.race([empty, grace]);
    over.abort();
    for (const flight of this.#flights) flight.abort(new Error('the node is stopping'));
    if (this.#flights.size > 0) await empty;
  }

  #wait(until: number, job: Job): void {
    this.#due.push(until, job);
    if (!this.#sleeping || until < this.#sleeping.until) void this.#sleepUntil(until);
  }

  /** Wakes when the earliest job is due; one sleeper at a time. */
  async #sleepUntil(until: number): Promise<void> {
    this.#sleeping?.control.abort();
    const sleeping = { until, control: new AbortController() };
    this.#sleeping = sleeping;
    await this.#clock.pause(Math.max(0, until - this.#clock.now()), sleeping.control.signal);
    if (this.#sleeping !== sleeping) return;
    this.#sleeping = null;
    if (this.#stopped) return;
    for (let job = this.#due.pop(this.#clock.now()); job; job = this.#due.pop(this.#clock.now())) this.#enqueue(job);
    this.#pump();
    const next = this.#due.nextAt;
    if (next !== null && !this.#sleeping) void this.#sleepUntil(next);
  }

  #enqueue(job: Job): void {
    const origin = job.origin();
    if (origin === null) return;
    const key = `${job.owner} ${origin}`;
    let destination = this.#destinations.get(key);
    if (!destination) {
      destination = this.#idle.get(key) ?? new Destination<Job>(job.owner, origin);
      this.#idle.delete(key);
      this.#destinations.set(key, destination);
    }
    this.#change(destination, () => destination.push(job, job.retry));
  }

  /** Every change of a destination's readiness or standing goes through here, and moves it to its new lane. */
  #change(destination: Destination<Job>, change: () => void): void {
    const before = this.#laneOf(destination);
    change();
    const after = this.#laneOf(destination);
    if (before === after) return;
    before?.remove(destination);
    after?.add(destination);
  }

  #laneOf({ ready, standing }: Destination<Job>): Lane<Job> | undefined {
    return ready === null ? undefined : this.#lanes.find((lane) => lane.turn === ready && lane.standing === standing)?.lane;
  }

  #pump(): void {
    while (!this.#stopped) {
      const destination = this.#next();
      if (!destination) return;
      let job: Job | undefined;
      this.#change(destination, () => {
        job = destination.take();
        destination.inFlight += 1;
      });
      if (job) void this.#send(destination, job);
    }
  }

  #next(): Destination<Job> | undefined {
    const { proven, unproven, failing } = this.#taken;
    this.#crowded = proven + unproven + failing >= this.#limits.attempts && this.#lanes.some(({ lane }) => !lane.empty);
    if (this.#crowded || proven + unproven + failing >= this.#limits.attempts) return undefined;
    for (const { standing, lane } of this.#lanes) {
      if (!lane.empty && this.#taken[standing] < Math.max(1, this.#limits.attempts * SHARES[standing])) return lane.next();
    }
    return undefined;
  }

  async #send(destination: Destination<Job>, job: Job): Promise<void> {
    const later = job.postponedTo(this.#clock.now());
    const flight = new InFlight(this.#clock, destination.standing);
    this.#taken[flight.standing] += 1;
    this.#flights.add(flight);
    if (!this.#ticking) void this.#tick();
    if (later !== null) this.#wait(later, job);
    const began = this.#clock.monotonic();
    const succeeded = later === null ? await job.attempt(flight) : null;
    const spent = this.#clock.monotonic() - began;
    this.#flights.delete(flight);
    if (flight.slow) this.#slow -= 1;
    else this.#taken[flight.standing] -= 1;
    this.#change(destination, () => {
      destination.inFlight -= 1;
      if (succeeded === true) destination.succeeded();
      if (succeeded === false) destination.failed();
      const throttle = destination.throttleAfter(flight.bytes, spent);
      destination.throttled = throttle > 0;
      if (throttle > 0) void this.#wake(destination, throttle, 'throttled');
      if (succeeded === false && destination.unwelcome && !destination.held) {
        destination.held = true;
        void this.#wake(destination, HELD_MILLISECONDS, 'held');
      }
    });
    if (destination.idle) this.#keepIdle(destination);
    if (this.#flights.size === 0) this.#whenEmpty?.();
    this.#pump();
  }

  /** Ends the throttling of a destination, or the hold on its new events, after a time. */
  async #wake(destination: Destination<Job>, milliseconds: number, state: 'throttled' | 'held'): Promise<void> {
    await this.#clock.pause(milliseconds);
    this.#change(destination, () => {
      destination[state] = false;
    });
    if (destination.idle) this.#keepIdle(destination);
    this.#pump();
  }

  #keepIdle(destination: Destination<Job>): void {
    const key = `${destination.owner} ${destination.origin}`;
    this.#destinations.delete(key);
    this.#idle.set(key, destination);
    for (const longest of this.#idle.keys()) {
      if (this.#idle.size <= REMEMBERED_IDLE) break;
      this.#idle.delete(longest);
    }
  }

  /** Checks running attempts for timeouts, as long as there are any. */
  async #tick(): Promise<void> {
    this.#ticking = true;
    while (this.#flights.size > 0) {
      await this.#clock.pause(TICK_MILLISECONDS);
      const now = this.#clock.monotonic();
      let freed = false;
      for (const flight of this.#flights) freed = this.#look(flight, now) || freed;
      if (freed) this.#pump();
    }
    this.#ticking = false;
  }

  /** Aborts a late attempt, and marks a slow one. Returns whether its place is free now. */
  #look(flight: InFlight, now: number): boolean {
    const age = now - flight.since;
    if (!flight.waiting) {
      if (age >= BODY_MILLISECONDS) flight.abort(new BodyCutOff());
      return false;
    }
    if (age >= this.#limits.timeoutMilliseconds) flight.abort(new AttemptTimedOut());
    const slow = this.#crowded ? SLOW_WHILE_CROWDED_MILLISECONDS : SLOW_MILLISECONDS;
    if (flight.slow || age < slow || this.#slow >= this.#limits.slowAttempts) return false;
    flight.slow = true;
    this.#slow += 1;
    this.#taken[flight.standing] -= 1;
    return true;
  }
}
