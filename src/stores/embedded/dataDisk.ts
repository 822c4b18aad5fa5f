import { statfsSync } from 'node:fs';
import type { Clock } from '../../clock.ts';
import type { DiskRoom, MeasuredDisk } from '../diskSpace.ts';

/** How long a reading of the disk is reused, so that a burst of frames reads it once. */
const FRESH_MILLISECONDS = 100;
const DEFAULT_BYTES = 256 * 1024 ** 2;
const DEFAULT_SHARE = 0.05;

export interface DataDiskOptions {
  readonly dataDir: string;
  /** Free bytes below which nothing more is accepted. `null`: 256 MiB, at most a twentieth of the disk; 0: no limit. */
  readonly watermark: number | null;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** The disk of the data directory. */
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

  /** A disk that cannot be read refuses nothing here: the write itself will fail. */
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
