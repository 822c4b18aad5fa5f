import { FairQueue } from './fairQueue.ts';

/** `engine`: live, with an engine of its own from its first byte to its end. */
export type Lane = 'live' | 'engine' | 'short' | 'long';

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
  readonly owner: string;
}

/**
 * Who may run now. Batch runs have `concurrency` slots; short ones go first and, where there are two slots or more, long ones never hold
 * the last: so a short one is never behind a queue of long ones. Live runs with an engine are at most `engines`, of which one owner holds at most
 * half: what more there are wait, while their bytes are kept. In each lane the owners take turns.
 */
export class Admission {
  readonly #concurrency: number;
  readonly #engines: number;
  readonly #waiting: Record<Lane, FairQueue<Waiting>> = {
    live: new FairQueue(),
    engine: new FairQueue(),
    short: new FairQueue(),
    long: new FairQueue(),
  };
  readonly #running: Record<Lane, number> = { live: 0, engine: 0, short: 0, long: 0 };
  /** Engines that each owner holds. */
  readonly #held = new Map<string, number>();
  #shortsInARow = 0;

  constructor(concurrency: number, engines: number) {
    this.#concurrency = concurrency;
    this.#engines = engines;
  }

  /** Runs `work` as soon as it may; one that was aborted while it waited takes no slot. Settles as the work does. */
  run(lane: Lane, owner: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => (signal.aborted ? Promise.resolve() : work()).then(resolve, reject);
      this.#waiting[lane].add(owner, { signal, start, owner });
      this.#fill();
    });
  }

  get load(): AdmissionLoad {
    const { live, engine, short, long } = this.#waiting;
    return {
      running: { ...this.#running },
      waiting: { live: live.size, engine: engine.size, short: short.size, long: long.size },
    };
  }

  #fill(): void {
    for (let lane = this.#free(); lane; lane = this.#free()) this.#start(lane);
  }

  /** The lane whose turn it is; `null` when nothing waits that may run. */
  #free(): Lane | null {
    const { live, engine, short, long } = this.#running;
    if (!this.#waiting.live.empty && live < LIVE_RUNS) return 'live';
    if (engine < this.#engines && this.#waiting.engine.has(this.#mayHold)) return 'engine';
    if (short + long >= this.#concurrency) return null;
    const longMay = !this.#waiting.long.empty && long < Math.max(1, this.#concurrency - 1);
    if (this.#waiting.short.empty) return longMay ? 'long' : null;
    return longMay && this.#shortsInARow >= LONG_TURN - 1 ? 'long' : 'short';
  }

  readonly #mayHold = (owner: string): boolean => (this.#held.get(owner) ?? 0) < Math.max(1, Math.ceil(this.#engines / 2));

  #hold(owner: string, change: 1 | -1): void {
    const held = (this.#held.get(owner) ?? 0) + change;
    if (held === 0) this.#held.delete(owner);
    else this.#held.set(owner, held);
  }

  #start(lane: Lane): void {
    const next = lane === 'engine' ? this.#waiting.engine.take(this.#mayHold) : this.#waiting[lane].take();
    if (!next) return;
    if (lane === 'engine') this.#hold(next.owner, 1);
    if (lane === 'short' || lane === 'long') this.#shortsInARow = lane === 'short' ? this.#shortsInARow + 1 : 0;
    this.#running[lane]++;
    void next.start().finally(() => {
      this.#running[lane]--;
      if (lane === 'engine') this.#hold(next.owner, -1);
      this.#fill();
    });
  }
}
