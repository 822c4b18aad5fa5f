import { FairQueue } from './fairQueue.ts';

export type Lane = 'live' | 'short' | 'long';

/** A batch run whose source is larger than this is long: some two minutes of plain speech. */
export const LONG_BYTES = 4 * 1024 * 1024;
/** Live runs mostly wait for their uploaders: they are bounded by themselves, not by the batch slots. */
const LIVE_RUNS = 2_000;
/** While short runs keep coming, every so-many-th start is a long one. */
const LONG_TURN = 4;

/** Runs by lane. */
export interface AdmissionLoad {
  readonly running: Readonly<Record<Lane, number>>;
  readonly waiting: Readonly<Record<Lane, number>>;
}

interface Waiting {
  readonly signal: AbortSignal;
  readonly start: () => Promise<void>;
}

/**
 * Who may run now. Batch runs have `concurrency` slots; short ones go first and, where there are two slots or more, long ones never hold
 * the last: so a short one is never behind a queue of long ones. In each lane the owners take turns.
 */
export class Admission {
  readonly #concurrency: number;
  readonly #waiting: Record<Lane, FairQueue<Waiting>> = { live: new FairQueue(), short: new FairQueue(), long: new FairQueue() };
  readonly #running: Record<Lane, number> = { live: 0, short: 0, long: 0 };
  #shortsInARow = 0;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  /** Runs `work` as soon as it may; one that was aborted while it waited takes no slot. Settles as the work does. */
  run(lane: Lane, owner: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => (signal.aborted ? Promise.resolve() : work()).then(resolve, reject);
      this.#waiting[lane].add(owner, { signal, start });
      this.#fill();
    });
  }

  get load(): AdmissionLoad {
    const { live, short, long } = this.#waiting;
    return { running: { ...this.#running }, waiting: { live: live.size, short: short.size, long: long.size } };
  }

  #fill(): void {
    for (let lane = this.#free(); lane; lane = this.#free()) this.#start(lane);
  }

  /** The lane whose turn it is; `null` when nothing waits that may run. */
  #free(): Lane | null {
    const { live, short, long } = this.#running;
    if (!this.#waiting.live.empty && live < LIVE_RUNS) return 'live';
    if (short + long >= this.#concurrency) return null;
    const longMay = !this.#waiting.long.empty && long < Math.max(1, this.#concurrency - 1);
    if (this.#waiting.short.empty) return longMay ? 'long' : null;
    return longMay && this.#shortsInARow >= LONG_TURN - 1 ? 'long' : 'short';
  }

  #start(lane: Lane): void {
    const next = this.#waiting[lane].take();
    if (!next) return;
    if (lane !== 'live') this.#shortsInARow = lane === 'short' ? this.#shortsInARow + 1 : 0;
    this.#running[lane]++;
    void next.start().finally(() => {
      this.#running[lane]--;
      this.#fill();
    });
  }
}
