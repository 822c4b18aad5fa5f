import { systemClock } from '../../clock.ts';
import { megabytes } from '../../speech/models/filesOnDisk.ts';
import { drawn } from '../progress.ts';

const EVERY_MILLISECONDS = 200;
const WIDTH = 24;

/** Draws a download's progress in place on a terminal, and nothing elsewhere. */
export class DownloadBar {
  readonly #name: string;
  readonly #total: number;
  #began: { readonly at: number; readonly bytes: number } | null = null;
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(name: string, total: number) {
    this.#name = name;
    this.#total = total;
  }

  /** `bytes`: size of the model's part on disk. */
  show(bytes: number): void {
    const now = systemClock.monotonic();
    this.#began ??= { at: now, bytes };
    if (now - this.#shownAt < EVERY_MILLISECONDS && bytes < this.#total) return;
    this.#shownAt = now;
    const share = this.#total === 0 ? 1 : bytes / this.#total;
    const full = Math.round(share * WIDTH);
    const seconds = Math.max(0.001, (now - this.#began.at) / 1_000);
    const bar = `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${String(Math.floor(share * 100)).padStart(3)} %`;
    drawn().progress(
      `${this.#name} ${bar}  ${megabytes(bytes)} of ${megabytes(this.#total)}  ${megabytes((bytes - this.#began.bytes) / seconds)}/s`,
    );
  }

  /** Ends the bar with a line feed. */
  end(): void {
    if (this.#began !== null && process.stderr.isTTY) process.stderr.write('\n');
  }
}
