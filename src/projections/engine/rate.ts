import type { Clock } from '../../clock.ts';

const MILLISECONDS = 10_000;

/** Counts events: the rate per second over the last ten seconds. */
export class Rate {
  readonly #clock: Clock;
  readonly #started: number;
  #counts: { readonly at: number; readonly events: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#started = clock.monotonic();
  }

  add(events: number): void {
    const at = this.#clock.monotonic();
    this.#counts = [...this.#counts.filter((one) => at - one.at < MILLISECONDS), { at, events }];
  }

  perSecond(): number {
    const now = this.#clock.monotonic();
    const recent = this.#counts.filter(({ at }) => now - at < MILLISECONDS);
    const seconds = Math.min(MILLISECONDS, Math.max(1_000, now - this.#started)) / 1_000;
    return recent.reduce((sum, { events }) => sum + events, 0) / seconds;
  }
}
