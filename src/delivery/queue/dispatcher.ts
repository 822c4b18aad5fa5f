import type { Clock } from '../../clock.ts';
import { Destination, type OriginLimits } from './destination.ts';
import { type AttemptLimits, Flights } from './flights.ts';
import { type Job, KINDS } from './job.ts';
import { Lane } from './lane.ts';
import { LaterHeap } from './laterHeap.ts';

/** The queues of a dispatcher, counted. A due job waits in the queue of its destination for a free place or its turn. */
export interface DispatcherLoad {
  readonly due: number;
  /** Due later. */
  readonly scheduled: number;
  readonly inFlight: number;
  /** Those in flight that have waited long for headers. */
  readonly slow: number;
  /** Pairs of owner and origin with something to send. */
  readonly destinations: number;
}

const REMEMBERED_IDLE = 10_000;

/**
 * Decides what is sent when. A job waits in the heap until it is due, then in the queue of its destination until the destination's limits, a free
 * place on the node (`Flights`) and its owner's turn (`Lane`) allow it.
 */
export class Dispatcher {
  readonly #clock: Clock;
  readonly #perOrigin: OriginLimits;
  readonly #later = new LaterHeap<Job>();
  readonly #destinations = new Map<string, Destination>();
  /** Idle ones, kept for their failures; the longest idle first. */
  readonly #idle = new Map<string, Destination>();
  /** By the kind of the next job, in the order of their turns. */
  readonly #lanes = new Map(KINDS.map((kind) => [kind, new Lane()]));
  readonly #flights: Flights;
  #sleeping: { readonly until: number; readonly control: AbortController } | null = null;
  #stopped = false;

  constructor(clock: Clock, limits: AttemptLimits, perOrigin: OriginLimits) {
    this.#clock = clock;
    this.#perOrigin = perOrigin;
    this.#flights = new Flights(clock, limits, {
      othersWait: () => this.#nextLane !== undefined,
      onFreed: () => this.#pump(),
    });
  }

  get load(): DispatcherLoad {
    let due = 0;
    for (const { waiting } of this.#destinations.values()) due += waiting;
    const { size: inFlight, slow } = this.#flights;
    return { due, scheduled: this.#later.length, inFlight, slow, destinations: this.#destinations.size };
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
    await this.#flights.stop(graceMilliseconds);
  }

  #wait(until: number, job: Job): void {
    this.#later.push(until, job);
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
    for (let job = this.#later.pop(this.#clock.now()); job; job = this.#later.pop(this.#clock.now())) this.#enqueue(job);
    this.#pump();
    const next = this.#later.nextAt;
    if (next !== null && !this.#sleeping) void this.#sleepUntil(next);
  }

  #enqueue(job: Job): void {
    const { owner } = job.sending;
    const origin = job.sending.origin(job.pending);
    if (origin === null) return;
    const key = `${owner} ${origin}`;
    let destination = this.#destinations.get(key);
    if (!destination) {
      destination = this.#idle.get(key) ?? new Destination(owner, origin, this.#perOrigin);
      this.#idle.delete(key);
      this.#destinations.set(key, destination);
    }
    this.#change(destination, () => destination.push(job));
  }

  /** Every change of a destination's readiness goes through here, and moves it to its new lane. */
  #change(destination: Destination, change: () => void): void {
    const before = this.#laneOf(destination);
    change();
    const after = this.#laneOf(destination);
    if (before === after) return;
    before?.remove(destination);
    after?.add(destination);
  }

  #laneOf({ ready }: Destination): Lane | undefined {
    return ready === null ? undefined : this.#lanes.get(ready);
  }

  get #nextLane(): Lane | undefined {
    return [...this.#lanes.values()].find(({ empty }) => !empty);
  }

  /** Starts attempts until no destination has a job, a turn and a place. */
  #pump(): void {
    while (!this.#stopped) {
      const destination = this.#next();
      if (!destination) return;
      let job: Job | undefined;
      this.#change(destination, () => {
        job = destination.take();
      });
      if (!job) continue;
      const { sending, pending } = job;
      const later = sending.postponedTo(pending, this.#clock.now());
      if (later !== null) this.#wait(later, job);
      else if (sending.origin(pending) !== null) void this.#send(destination, job);
      if (destination.idle) this.#keepIdle(destination);
    }
  }

  /** The destination whose turn it is, if it has a place. */
  #next(): Destination | undefined {
    return this.#flights.full ? undefined : this.#nextLane?.next();
  }

  async #send(destination: Destination, job: Job): Promise<void> {
    const flight = this.#flights.begin();
    let ended: ReturnType<typeof destination.begin> | undefined;
    this.#change(destination, () => {
      ended = destination.begin(job);
    });
    const endpoint = await job.sending.attempt(job.pending, flight);
    this.#flights.end(flight);
    this.#change(destination, () => {
      const pause = ended?.(endpoint).pause ?? null;
      if (pause !== null) void this.#resumeLater(destination, pause);
    });
    if (destination.idle) this.#keepIdle(destination);
    this.#pump();
  }

  async #resumeLater(destination: Destination, pause: number): Promise<void> {
    await this.#clock.pause(this.#perOrigin.holdMilliseconds);
    this.#change(destination, () => destination.resume(pause));
    if (destination.idle) this.#keepIdle(destination);
    this.#pump();
  }

  #keepIdle(destination: Destination): void {
    const key = `${destination.owner} ${destination.origin}`;
    this.#destinations.delete(key);
    this.#idle.set(key, destination);
    for (const longest of this.#idle.keys()) {
      if (this.#idle.size <= REMEMBERED_IDLE) break;
      this.#idle.delete(longest);
    }
  }
}
