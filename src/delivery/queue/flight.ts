import type { Clock } from '../../clock.ts';
import type { Standing } from './destination.ts';

/** A running attempt. */
export interface Flight {
  /** Call it before sending a body of `bytes`. */
  sending(bytes: number): void;
  /**
   * Aborts at a timeout (`AttemptTimedOut`, `BodyTimedOut`) or when the node stops; `reason` says which. A stop before the headers abandons the
   * attempt: it is not recorded.
   */
  readonly signal: AbortSignal;
  /** Call it when the headers have arrived: the timeout ends, and the body gets a second. */
  arrived(): void;
}

/** A running attempt, as the queue sees it. */
export class InFlight implements Flight {
  readonly #controller = new AbortController();
  /** Standing of the destination when the attempt began. */
  readonly standing: Standing;
  readonly #clock: Clock;
  since: number;
  /** For the headers of the response. */
  waiting = true;
  /** It has waited long, and gives its place to others. */
  slow = false;
  bytes = 0;

  constructor(clock: Clock, standing: Standing) {
    this.#clock = clock;
    this.since = clock.monotonic();
    this.standing = standing;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  sending(bytes: number): void {
    this.bytes += bytes;
  }

  arrived(): void {
    this.waiting = false;
    this.since = this.#clock.monotonic();
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
  }
}

/** No headers came in time. The attempt is recorded as `timed out`. */
export class AttemptTimedOut extends Error {
  constructor() {
    super('no answer in time');
    this.name = 'AttemptTimedOut';
  }
}

/** The body took longer than its second. The attempt is recorded with its status, and with the part of the body that arrived. */
export class BodyTimedOut extends Error {}
