import type { Clock } from '../clock.ts';

/** Reading it takes some microseconds. A large message arrives in about this time. */
const SAMPLE_MILLISECONDS = 25;

/** How scarce memory is: from 0 (ample) to 1 (scarce). */
export interface Memory {
  readonly scarcity: number;
}

/** 0 up to four fifths of `scarceBytes`, 1 from `scarceBytes` on, and even in between. */
export const scarcityOf = (residentBytes: number, scarceBytes: number): number =>
  Math.max(0, Math.min(1, (5 * residentBytes) / scarceBytes - 4));

/** A limit that falls from `ample` to `scarce` as memory becomes scarce. */
export const limitBetween = (ample: number, scarce: number, { scarcity }: Memory): number => ample + (scarce - ample) * scarcity;

/** The resident memory of the process, read when asked, so that a process at rest has no timer. */
export class ResidentMemory implements Memory {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #scarceBytes: number;
  readonly #residentBytes: () => number;
  #readAt = Number.NEGATIVE_INFINITY;
  #scarcity = 0;

  constructor(clock: Pick<Clock, 'monotonic'>, scarceBytes: number, residentBytes: () => number = process.memoryUsage.rss) {
    this.#clock = clock;
    this.#scarceBytes = scarceBytes;
    this.#residentBytes = residentBytes;
  }

  get scarcity(): number {
    const now = this.#clock.monotonic();
    if (now - this.#readAt >= SAMPLE_MILLISECONDS) {
      this.#scarcity = scarcityOf(this.#residentBytes(), this.#scarceBytes);
      this.#readAt = now;
    }
    return this.#scarcity;
  }
}

let watched: Memory = { scarcity: 0 };

/** Of this process. Ample until `watchMemory` is called: a command or a test that fills its memory has no callers to protect. */
export const processMemory: Memory = {
  get scarcity() {
    return watched.scarcity;
  },
};

export const watchMemory = (memory: Memory): void => {
  watched = memory;
};
