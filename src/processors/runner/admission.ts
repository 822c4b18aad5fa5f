import type { DeclarationPlaces } from '../processor.ts';
import { FairQueue } from './fairQueue.ts';

/** `engine`: live, with an engine from its first byte to its last. `remote`: at a user's own processor, where this node only waits. */
export const LANES = ['live', 'engine', 'remote', 'short', 'long'] as const;
export type Lane = (typeof LANES)[number];

/** A batch run whose source is larger than this is long, unless its decoded length says otherwise. */
export const LONG_BYTES = 4 * 1024 * 1024;
/** Live runs mostly wait for their uploaders: they are bounded by themselves, not by the batch slots. */
const LIVE_RUNS = 2_000;
/** Runs at users' own processors: they may hang for as long as they are declared to take, so one owner holds few of them. */
const REMOTE_RUNS = 1_024;
const REMOTE_RUNS_OF_OWNER = 16;
/** While short runs keep coming, every so-many-th start is a long one. */
const LONG_TURN = 4;

/** Runs by lane. */
export interface AdmissionLoad {
  readonly running: Readonly<Record<Lane, number>>;
  readonly waiting: Readonly<Record<Lane, number>>;
}

/** A run that asks for its turn. */
export interface Entrant {
  readonly lane: Lane;
  readonly owner: string;
  readonly signal: AbortSignal;
  /** In the lane `remote`; `null` if the declaration is unknown. */
  readonly places?: DeclarationPlaces | null;
}

interface Waiting extends Entrant {
  readonly start: () => Promise<void>;
}

/**
 * Who may run now. Batch runs have `concurrency` slots. A free one goes to the waiting owner that holds the fewest: under contention each owner
 * gets an equal share, and an owner alone may use all. Between owners that hold as many, short runs go first and, where there are two slots
 * or more, long ones never hold the last: a short run is never behind a queue of long ones. At most `engines` live runs have an engine, and one owner
 * holds at most half of these; further ones wait while their bytes are kept. Remote runs are limited by owner and by declaration; a run that waits
 * for a place of its declaration holds no place of its owner. In each lane the owners take turns, and so do the declarations of one owner.
 */
export class Admission {
  readonly #concurrency: number;
  readonly #engines: number;
  readonly #waiting: Record<Lane, FairQueue<Waiting>> = {
    live: new FairQueue(),
    engine: new FairQueue(),
    remote: new FairQueue(),
    short: new FairQueue(),
    long: new FairQueue(),
  };
  readonly #running: Record<Lane, number> = { live: 0, engine: 0, remote: 0, short: 0, long: 0 };
  /** Live engines that each owner holds. */
  readonly #engineHolders = new Map<string, number>();
  readonly #remoteHolders = new Map<string, number>();
  /** Remote runs by declaration. */
  readonly #placeHolders = new Map<string, number>();
  /** Batch slots that each owner holds. */
  readonly #slotHolders = new Map<string, number>();
  #shortsInARow = 0;

  constructor(concurrency: number, engines: number) {
    this.#concurrency = concurrency;
    this.#engines = engines;
  }

  /** Runs `work` as soon as it is admitted, and settles like it. Resolves without running it if the signal aborts first. */
  run(entrant: Entrant, work: () => Promise<void>): Promise<void> {
    const { lane, owner, signal, places } = entrant;
    if (signal.aborted) return Promise.resolve();
    const queue = this.#waiting[lane];
    return new Promise((resolve, reject) => {
      const leave = () => {
        queue.remove(owner, waiting, places?.declarationId);
        resolve();
      };
      const start = () => {
        signal.removeEventListener('abort', leave);
        return work().then(resolve, reject);
      };
      const waiting = { ...entrant, start };
      signal.addEventListener('abort', leave, { once: true });
      queue.add(owner, waiting, places?.declarationId);
      this.#fill();
    });
  }

  get load(): AdmissionLoad {
    const { live, engine, remote, short, long } = this.#waiting;
    return {
      running: { ...this.#running },
      waiting: { live: live.size, engine: engine.size, remote: remote.size, short: short.size, long: long.size },
    };
  }

  #fill(): void {
    for (let lane = this.#free(); lane; lane = this.#free()) this.#start(lane);
  }

  /** The lane whose turn it is; `null` when nothing waits that may run. */
  #free(): Lane | null {
    const { live, engine, remote, short, long } = this.#running;
    if (!this.#waiting.live.empty && live < LIVE_RUNS) return 'live';
    if (engine < this.#engines && this.#waiting.engine.has(this.#mayHold)) return 'engine';
    if (remote < REMOTE_RUNS && this.#waiting.remote.has(this.#mayBeRemote, this.#hasPlace)) return 'remote';
    if (short + long >= this.#concurrency) return null;
    const longMay = !this.#waiting.long.empty && long < Math.max(1, this.#concurrency - 1);
    if (this.#waiting.short.empty) return longMay ? 'long' : null;
    if (!longMay) return 'short';
    const [leastShort, leastLong] = [this.#waiting.short.least(this.#slotsOf), this.#waiting.long.least(this.#slotsOf)];
    if (leastShort !== leastLong) return leastShort < leastLong ? 'short' : 'long';
    return this.#shortsInARow >= LONG_TURN - 1 ? 'long' : 'short';
  }

  readonly #mayHold = (owner: string): boolean => (this.#engineHolders.get(owner) ?? 0) < Math.max(1, Math.ceil(this.#engines / 2));

  readonly #mayBeRemote = (owner: string): boolean => (this.#remoteHolders.get(owner) ?? 0) < REMOTE_RUNS_OF_OWNER;

  readonly #hasPlace = ({ places }: Waiting): boolean =>
    !places || (this.#placeHolders.get(places.declarationId) ?? 0) < places.concurrency;

  readonly #slotsOf = (owner: string): number => this.#slotHolders.get(owner) ?? 0;

  #holdersOf(lane: Lane): Map<string, number> | null {
    if (lane === 'live') return null;
    if (lane === 'remote') return this.#remoteHolders;
    return lane === 'engine' ? this.#engineHolders : this.#slotHolders;
  }

  /** Of a batch lane, the work of the owner that holds the fewest slots. */
  #next(lane: Lane): Waiting | undefined {
    const waiting = this.#waiting[lane];
    if (lane === 'live') return waiting.take();
    if (lane === 'engine') return waiting.take(this.#mayHold);
    if (lane === 'remote') return waiting.take(this.#mayBeRemote, this.#hasPlace);
    const least = waiting.least(this.#slotsOf);
    return waiting.take((owner) => this.#slotsOf(owner) === least);
  }

  #start(lane: Lane): void {
    const next = this.#next(lane);
    if (!next) return;
    const holders = this.#holdersOf(lane);
    if (holders) hold(holders, next.owner, 1);
    if (next.places) hold(this.#placeHolders, next.places.declarationId, 1);
    if (lane === 'short' || lane === 'long') this.#shortsInARow = lane === 'short' ? this.#shortsInARow + 1 : 0;
    this.#running[lane]++;
    void next.start().finally(() => {
      this.#running[lane]--;
      if (holders) hold(holders, next.owner, -1);
      if (next.places) hold(this.#placeHolders, next.places.declarationId, -1);
      this.#fill();
    });
  }
}

const hold = (holders: Map<string, number>, owner: string, change: 1 | -1): void => {
  const held = (holders.get(owner) ?? 0) + change;
  if (held === 0) holders.delete(owner);
  else holders.set(owner, held);
};
