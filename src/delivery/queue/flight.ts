import { OVER } from '../../supervision/aborted.ts';

/** A running attempt. */
export interface Flight {
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
  readonly #headers = new AbortController();
  readonly #body = new AbortController();
  readonly #onArrived: (flight: InFlight) => void;
  /** It has waited long for headers, and has given its place to others. */
  slow = false;

  /** `onArrived`: called when the headers are there. */
  constructor(onArrived: (flight: InFlight) => void) {
    this.#onArrived = onArrived;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts when the attempt no longer waits for headers. */
  get headers(): AbortSignal {
    return this.#headers.signal;
  }

  /** Aborts when the attempt has ended. */
  get body(): AbortSignal {
    return this.#body.signal;
  }

  arrived(): void {
    this.#headers.abort(OVER);
    this.#onArrived(this);
  }

  ended(): void {
    this.#headers.abort(OVER);
    this.#body.abort(OVER);
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
