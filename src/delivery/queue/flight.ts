import { EventEmitter } from 'node:events';
import type { Clock } from '../../clock.ts';
import type { Standing } from './destination.ts';

/** A running attempt. */
export interface Flight {
  /**
   * Emits `abort` at a timeout (`AttemptTimedOut`, `BodyTimedOut`) or when the node stops; `reason` says which. A stop before the headers abandons the
   * attempt: it is not recorded. Lighter than an `AbortSignal`, and undici takes both.
   */
  readonly signal: EventEmitter & { readonly aborted: boolean; readonly reason: Error | undefined };
  /** Call it when the headers have arrived: the timeout ends, and the body gets a second. */
  arrived(): void;
}

class FlightSignal extends EventEmitter {
  aborted = false;
  reason: Error | undefined;
}

/** A running attempt, as the queue sees it. */
export class InFlight implements Flight {
  readonly signal = new FlightSignal();
  /** Standing of the destination when the attempt began. */
  readonly standing: Standing;
  readonly #clock: Clock;
  since: number;
  /** For the headers of the response. */
  waiting = true;
  /** It has waited long, and gives its place to others. */
  slow = false;

  constructor(clock: Clock, standing: Standing) {
    this.#clock = clock;
    this.since = clock.monotonic();
    this.standing = standing;
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

/** No headers came in time. The attempt is recorded as `timed out`. */
export class AttemptTimedOut extends Error {
  constructor() {
    super('no answer in time');
    this.name = 'AttemptTimedOut';
  }
}

/** The body took longer than its second. The attempt is recorded with its status, and with the part of the body that arrived. */
export class BodyTimedOut extends Error {}
