import type { DeclarationPlaces } from '../processor.ts';
import { Limiter } from './limiter.ts';

/** `engine`: live, with an engine from its first byte to its last. `remote`: at a user's own processor, where this node only waits. */
export const LANES = ['live', 'engine', 'remote', 'short', 'long'] as const;
export type Lane = (typeof LANES)[number];

/** A batch run whose source is larger than this is long, unless its decoded length says otherwise. */
export const LONG_BYTES = 4 * 1024 * 1024;
/** Live runs mostly wait for their uploaders: they are bounded by themselves, not by the places of batch runs. */
const LIVE_RUNS = 2_000;
/** Runs at users' own processors: they may hang for as long as they are declared to take, so one owner holds few of them. */
const REMOTE_RUNS = 1_024;
const REMOTE_RUNS_OF_OWNER = 16;

/** Runs by lane. */
export interface AdmissionLoad {
  readonly running: Readonly<Record<Lane, number>>;
  readonly waiting: Readonly<Record<Lane, number>>;
}

/** A run that asks for its turn. */
export interface Admitted {
  readonly lane: Lane;
  readonly owner: string;
  readonly signal: AbortSignal;
  /** In the lane `remote`; `null` if the declaration is unknown. */
  readonly places?: DeclarationPlaces | null;
}

const nothing = (): Record<Lane, number> => ({ live: 0, engine: 0, remote: 0, short: 0, long: 0 });

/**
 * Decides which runs may start. Short and long batch runs share `concurrency` places, and where there are two or more, long ones never hold the last: a short run is
 * never behind a queue of long ones. One owner holds at most half of the live engines; further ones wait while their bytes are kept. Runs at users' own
 * processors are limited by owner and by declaration.
 */
export class Admission {
  readonly #limiters: Readonly<Record<Lane, Limiter>>;
  readonly #mostLong: number;
  readonly #running = nothing();
  readonly #waiting = nothing();

  constructor(concurrency: number, engines: number) {
    const batch = new Limiter(concurrency);
    this.#mostLong = Math.max(1, concurrency - 1);
    this.#limiters = {
      live: new Limiter(LIVE_RUNS),
      engine: new Limiter(engines, Math.max(1, Math.ceil(engines / 2))),
      remote: new Limiter(REMOTE_RUNS, REMOTE_RUNS_OF_OWNER),
      short: batch,
      long: batch,
    };
  }

  /** Runs `work` as soon as it is admitted, and settles like it. Resolves without running it if the signal aborts first. */
  async run({ lane, owner, signal, places }: Admitted, work: () => Promise<void>): Promise<void> {
    const unlimited = lane === 'long' ? this.#mostLong : Number.POSITIVE_INFINITY;
    const entrant = { owner, signal, kind: places?.declarationId ?? lane, mostOfKind: places?.concurrency ?? unlimited };
    let began = false;
    this.#waiting[lane] += 1;
    const counted = async (): Promise<void> => {
      began = true;
      this.#waiting[lane] -= 1;
      this.#running[lane] += 1;
      await work().finally(() => {
        this.#running[lane] -= 1;
      });
    };
    await this.#limiters[lane].run(entrant, counted);
    if (!began) this.#waiting[lane] -= 1;
  }

  get load(): AdmissionLoad {
    return { running: { ...this.#running }, waiting: { ...this.#waiting } };
  }
}
