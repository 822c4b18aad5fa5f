import type { Clock } from '../../clock.ts';
import type { UploadsInHand } from '../../commands/uploadsInHand.ts';
import { FairQueue } from './fairQueue.ts';

/** With this many at once, uploads are busy; with fewer for a moment, they are quiet again. */
const BUSY_UPLOADS = 4;
const QUIET_MILLISECONDS = 10;
/** How long runs are held back at a time, and how many of them: as many as have their sources in memory, and at most half of what one user may run. */
const LONGEST_MILLISECONDS = 2_000;
const MOST_HELD = 500;
/** Runs at once: those that are stored together continue in one turn of the event loop. */
const AT_ONCE = 16;

/**
 * Light runs of whole uploads, a few at a time. While uploads arrive in a burst, these are stored and answered first:
 *
 * - open: runs start as they come;
 * - held: uploads are busy, so runs wait, for two seconds or until five hundred wait, or half of what one user may run;
 * - released: runs start beside the uploads until these are quiet, which opens it.
 */
export class UploadsFirst {
  readonly #clock: Clock;
  readonly #uploads: UploadsInHand;
  readonly #mostHeld: number;
  readonly #waiting = new FairQueue<() => Promise<void>>();
  #running = 0;
  #state: 'open' | 'held' | 'released' = 'open';
  /** When uploads were last seen busy, by the monotonic clock. */
  #busyAt = Number.NEGATIVE_INFINITY;
  /** Since when runs are held. */
  #heldAt = 0;
  #watching = false;

  /** `streamLimit`: streams that one user may run at once. */
  constructor(clock: Clock, uploads: UploadsInHand, streamLimit = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#mostHeld = Math.min(MOST_HELD, streamLimit / 2);
    this.#uploads = uploads;
    uploads.listen((count) => {
      if (count >= BUSY_UPLOADS) this.#busyAt = clock.monotonic();
    });
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Settles as `work` does. */
  run(owner: string, work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(owner, () => work().then(resolve, reject));
      if (this.#state === 'open' && this.#isBusy) this.#hold();
      if (this.#state === 'held' && this.#waiting.size > this.#mostHeld) this.#state = 'released';
      this.#fill();
    });
  }

  get #isBusy(): boolean {
    return this.#uploads.count >= BUSY_UPLOADS || this.#clock.monotonic() - this.#busyAt < QUIET_MILLISECONDS;
  }

  #hold(): void {
    this.#state = 'held';
    this.#heldAt = this.#clock.monotonic();
    if (!this.#watching) void this.#watch();
  }

  /** While it is not open. */
  async #watch(): Promise<void> {
    this.#watching = true;
    while (this.#state !== 'open') {
      await this.#clock.pause(QUIET_MILLISECONDS);
      if (!this.#isBusy) this.#state = 'open';
      else if (this.#clock.monotonic() - this.#heldAt >= LONGEST_MILLISECONDS) this.#state = 'released';
      this.#fill();
    }
    this.#watching = false;
  }

  #fill(): void {
    while (this.#state !== 'held' && this.#running < AT_ONCE) {
      const next = this.#waiting.take();
      if (!next) return;
      this.#running += 1;
      void next().finally(() => {
        this.#running -= 1;
        this.#fill();
      });
    }
  }
}
