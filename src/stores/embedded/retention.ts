import type { Clock } from '../../clock.ts';
import { every } from '../../supervision/every.ts';
import type { SweepWork } from './logMessages.ts';

const SWEEP_MILLISECONDS = 10 * 60_000;

/** Event streams whose events are kept for a limited time: expired ones are hidden at once and deleted at the next sweep. */
export class Retention {
  readonly #clock: Clock;
  /** Milliseconds by event stream. */
  readonly #maxAges = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  set(eventStream: string, maxAgeMilliseconds: number): void {
    this.#maxAges.set(eventStream, maxAgeMilliseconds);
  }

  keeps(eventStream: string, recordedAt: number): boolean {
    const maxAge = this.#maxAges.get(eventStream);
    return maxAge === undefined || this.#clock.now() - recordedAt <= maxAge;
  }

  /** Sweeps at intervals until the signal aborts. Never rejects. `sweep` returns how many events it deleted. */
  async sweepUntil(signal: AbortSignal, sweep: (work: SweepWork) => Promise<number>): Promise<void> {
    // The disk is full or the store is closing: the next sweep repeats it.
    await every(() => this.#sweepAll(sweep), { clock: this.#clock, milliseconds: SWEEP_MILLISECONDS, signal });
  }

  async #sweepAll(sweep: (work: SweepWork) => Promise<number>): Promise<void> {
    for (const [eventStream, maxAge] of this.#maxAges) {
      const work: SweepWork = ['sweep', eventStream, this.#clock.now() - maxAge];
      while ((await sweep(work)) > 0);
    }
  }
}
