import type { Clock } from '../../clock.ts';

const SECONDS = 10;

/** Counts events: the rate per second over the last ten seconds. */
export class Rate {
  readonly #clock: Clock;
  readonly #started: number;
  /** Ring of ten: each slot holds a second and the number of events in it. */
  readonly #seconds = Array.from({ length: SECONDS }, () => ({ second: -1, events: 0 }));

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#started = clock.monotonic();
  }

  add(events: number): void {
    const second = this.#second();
    const bucket = this.#seconds[second % SECONDS];
    if (!bucket) return;
    if (bucket.second !== second) Object.assign(bucket, { second, events: 0 });
    bucket.events += events;
  }

  perSecond(): number {
    const second = this.#second();
    const recent = this.#seconds.filter((bucket) => bucket.second >= 0 && second - bucket.second < SECONDS);
    const elapsed = Math.min(SECONDS, Math.max(1, (this.#clock.monotonic() - this.#started) / 1_000));
    return recent.reduce((sum, bucket) => sum + bucket.events, 0) / elapsed;
  }

  #second(): number {
    return Math.floor(this.#clock.monotonic() / 1_000);
  }
}
