import type { Clock } from '../../clock.ts';
import type { ReadModels } from '../../projections/readModels.ts';

/** A look serves all who wait for the same thing for this long. */
const LOOK_MS = 250;

interface Look<T> {
  /** Monotonic time of its beginning. */
  readonly at: number;
  readonly seen: Promise<T>;
}

/** The subject of a look. Looks with the same `key` are shared. */
interface Wanted<T> {
  readonly key: string;
  /** Monotonic time of the newest news, which the look should include; `null` if there are none. */
  readonly newsAt: number | null;
  readonly read: () => Promise<T>;
}

/** The newest look at each thing that is waited for. Reading it is the most expensive step of those who wait, so they share their looks. */
export class SharedLooks<T> {
  readonly #ofModels = new WeakMap<ReadModels, Map<string, Look<T>>>();
  readonly #afterNews: number;

  /** `afterNewsMilliseconds`: a look of this age is shared although there are news since: all who wait hear them at the same time. */
  constructor(afterNewsMilliseconds: number) {
    this.#afterNews = afterNewsMilliseconds;
  }

  look({ readModels, clock }: { readonly readModels: ReadModels; readonly clock: Clock }, { key, newsAt, read }: Wanted<T>): Promise<T> {
    const looks = this.#ofModels.get(readModels) ?? new Map<string, Look<T>>();
    this.#ofModels.set(readModels, looks);
    const now = clock.monotonic();
    const known = looks.get(key);
    if (known && this.#isRecent(known, now, newsAt)) return known.seen;
    const look: Look<T> = { at: now, seen: read() };
    looks.set(key, look);
    const forget = (): void => {
      if (looks.get(key) === look) looks.delete(key);
    };
    look.seen.then(() => clock.pause(LOOK_MS).then(forget), forget);
    return look.seen;
  }

  #isRecent({ at }: Look<T>, now: number, newsAt: number | null): boolean {
    if (now - at < this.#afterNews) return true;
    return now - at < LOOK_MS && (newsAt === null || at > newsAt);
  }
}
