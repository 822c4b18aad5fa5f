import { performance } from 'node:perf_hooks';
import type { Clock } from '../clock.ts';

const SAMPLE_MILLISECONDS = 250;
/** A longer sample says nothing about the present: the loop may have been asked last an hour ago. */
const OLD_MILLISECONDS = 1_000;
/** Shares of the time. In between, a loop stays what it was. */
const [BUSY, FREE] = [0.6, 0.4];

/**
 * Whether an event loop is busy, by default that of this thread: it worked for most of the last quarter of a second. Measured when asked, so that a process
 * at rest has no timer.
 */
export class LoopLoad {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #measure: typeof performance.eventLoopUtilization;
  #before: ReturnType<typeof performance.eventLoopUtilization>;
  #at: number;
  #busy = false;

  constructor(
    clock: Pick<Clock, 'monotonic'>,
    measure: typeof performance.eventLoopUtilization = performance.eventLoopUtilization.bind(performance),
  ) {
    this.#clock = clock;
    this.#measure = measure;
    this.#before = measure();
    this.#at = clock.monotonic();
  }

  get busy(): boolean {
    const now = this.#clock.monotonic();
    const age = now - this.#at;
    if (age >= SAMPLE_MILLISECONDS) {
      const seen = this.#measure();
      this.#busy = age <= OLD_MILLISECONDS && this.#measure(seen, this.#before).utilization > (this.#busy ? FREE : BUSY);
      this.#before = seen;
      this.#at = now;
    }
    return this.#busy;
  }
}

/** Whether one of several loops is busy. */
export class AnyLoad {
  readonly #loads: readonly { readonly busy: boolean }[];

  constructor(loads: readonly { readonly busy: boolean }[]) {
    this.#loads = loads;
  }

  get busy(): boolean {
    // Each is asked, because only a load that is asked measures.
    return this.#loads.filter(({ busy }) => busy).length > 0;
  }
}
