import type { Clock } from '../clock.ts';
import { OVER } from './aborted.ts';

const LOOK_MILLISECONDS = 250;

/** Calls `look` every 250 ms while something waits for memory: no event tells when memory becomes ample again. Without waiters there is no timer. */
export class MemoryLooks {
  readonly #clock: Pick<Clock, 'pause'>;
  readonly #look: () => void;
  #over: AbortController | null = null;

  constructor(clock: Pick<Clock, 'pause'>, look: () => void) {
    this.#clock = clock;
    this.#look = look;
  }

  /** Call it whenever a wait begins or ends. */
  continueWhile(isWaiting: boolean): void {
    if (!isWaiting) {
      this.#over?.abort(OVER);
      this.#over = null;
    } else if (!this.#over) {
      this.#over = new AbortController();
      void this.#run(this.#over.signal);
    }
  }

  async #run(over: AbortSignal): Promise<void> {
    while ((await this.#clock.pause(LOOK_MILLISECONDS, over)) === 'elapsed') this.#look();
  }
}
