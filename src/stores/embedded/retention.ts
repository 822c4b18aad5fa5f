import type { Clock } from '../../clock.ts';
import { every } from '../../supervision/every.ts';

const SWEEP_MILLISECONDS = 10 * 60_000;

/** Deletes some events recorded before a time; returns their number. */
type Sweep = (call: readonly ['sweep', eventStream: string, before: number]) => Promise<number>;

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

  /** Sweeps at intervals until the signal aborts. Never rejects. */
  async sweepUntil(signal: AbortSignal, sweep: Sweep): Promise<void> {
    // The disk is full or the store is closing: the next sweep repeats it.
    await every(() => this.#sweepAll(sweep), { clock: this.#clock, milliseconds: SWEEP_MILLISECONDS, signal });
  }

  async #sweepAll(sweep: Sweep): Promise<void> {
    for (const [eventStream, maxAge] of this.#maxAges) {
      while ((await sweep(['sweep', eventStream, this.#clock.now() - maxAge])) > 0);
    }
  }
}
