import type { Death } from './killing.ts';
import type { Load } from './load.ts';

const LOOK_MILLISECONDS = 10;
/** Work in progress at a death is the highest of several samples, because its callers notice the death at once. */
const LOOKS = 5;

/** Work that the kills of a run have interrupted. */
export class Deaths {
  readonly #counts = new Map<Death, number>();
  readonly #underWay: number[] = [];
  readonly #timer: NodeJS.Timeout;
  #looks: readonly number[] = [];

  constructor(load: Load) {
    this.#timer = setInterval(() => {
      this.#looks = [...this.#looks, load.underWay].slice(-LOOKS);
    }, LOOK_MILLISECONDS);
  }

  add(death: Death): void {
    this.#counts.set(death, this.count(death) + 1);
    this.#underWay.push(Math.max(0, ...this.#looks));
  }

  /** Number of processes that died this way. */
  count(death: Death): number {
    return this.#counts.get(death) ?? 0;
  }

  get medianUnderWay(): number {
    return [...this.#underWay].sort((a, b) => a - b)[this.#underWay.length >> 1] ?? 0;
  }

  told({ answered, refused }: Load): string {
    const counts = [...this.#counts].map(([death, count]) => `${count} ${death}`).join(', ');
    return `${counts}; ${this.medianUnderWay} commands under way in the middle; ${answered} acknowledged, ${refused} refused`;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
