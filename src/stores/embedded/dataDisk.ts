import { statfsSync } from 'node:fs';
import type { Clock } from '../../clock.ts';
import type { DiskRoom, MeasuredDisk } from '../diskSpace.ts';

/** What the disk said is believed for so long: a burst of frames asks once. */
const FRESH_MILLISECONDS = 100;
const DEFAULT_BYTES = 256 * 1024 ** 2;
const DEFAULT_SHARE = 0.05;

export interface DataDiskOptions {
  readonly dataDir: string;
  /** Free bytes below which nothing more is taken; `null`: 256 MiB, at most a twentieth of the disk; 0: never. */
  readonly watermark: number | null;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** The disk that the data directory lies on. */
export class DataDisk implements MeasuredDisk {
  readonly #options: DataDiskOptions;
  #free = Number.POSITIVE_INFINITY;
  #total = 0;
  #watermark = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(options: DataDiskOptions) {
    this.#options = options;
  }

  shortage(bytes = 0): string | null {
    this.#look();
    if (this.#watermark === 0 || this.#free - bytes >= this.#watermark) return null;
    return `The disk of DATA_DIR is nearly full: ${mebibytes(this.#free)} free, ${mebibytes(this.#watermark)} are kept free (DISK_WATERMARK_BYTES).`;
  }

  room(): DiskRoom | null {
    this.#look();
    return Number.isFinite(this.#free) ? { free: this.#free, total: this.#total, reserved: this.#watermark } : null;
  }

  /** A disk that cannot be asked refuses nothing: a write to it will. */
  #look(): void {
    const now = this.#options.clock.monotonic();
    if (now - this.#lookedAt < FRESH_MILLISECONDS) return;
    this.#lookedAt = now;
    try {
      const { bavail, blocks, bsize } = statfsSync(this.#options.dataDir);
      this.#free = bavail * bsize;
      this.#total = blocks * bsize;
      this.#watermark = this.#options.watermark ?? Math.min(DEFAULT_BYTES, this.#total * DEFAULT_SHARE);
    } catch {
      this.#free = Number.POSITIVE_INFINITY;
    }
  }
}

const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`;
