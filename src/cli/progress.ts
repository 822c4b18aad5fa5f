import type { Clock } from '../clock.ts';
import type { Say } from './controlSocket.ts';

const EVERY_MILLISECONDS = 250;
const BAR = 24;

/** A progress line with bar and rate for a pass through the log, four times a second. */
export class Progress {
  readonly #clock: Clock;
  readonly #say: Pick<Say, 'progress'>;
  readonly #began: number;
  #told: number;

  constructor(clock: Clock, say: Pick<Say, 'progress'>) {
    this.#clock = clock;
    this.#say = say;
    this.#began = this.#told = clock.monotonic();
  }

  /** `share`: 0 to 1; `null` if unknown. */
  tell(events: number, share: number | null): void {
    const now = this.#clock.monotonic();
    if (now - this.#told < EVERY_MILLISECONDS) return;
    this.#told = now;
    this.#say.progress(this.#line(events, share));
  }

  /** `share`: less than 1 if the pass stopped early. */
  end(events: number, share: number | null): void {
    this.#say.progress(this.#line(events, share));
  }

  #line(events: number, share: number | null): string {
    const seconds = Math.max(0.001, (this.#clock.monotonic() - this.#began) / 1_000);
    const rate = `${events.toLocaleString('en')} events, ${Math.round(events / seconds).toLocaleString('en')}/s`;
    if (share === null) return rate;
    const full = Math.round(share * BAR);
    return `[${'#'.repeat(full)}${'.'.repeat(BAR - full)}] ${String(Math.round(share * 100)).padStart(3)} %  ${rate}`;
  }
}

/** Reports nothing: for `--json`. */
export const silent: Say = { progress: () => undefined, output: async () => undefined };

/** Progress in place on a terminal, nothing elsewhere. */
export const drawn = (): Say => ({
  ...silent,
  progress: (line) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
  },
});
