import { statfsSync } from 'node:fs';
import type { Clock } from '../../clock.ts';
import type { DiskRoom, DiskSpace } from '../diskSpace.ts';

/** How long a reading of the disk is reused, so that a burst of frames reads it once. */
const FRESH_MILLISECONDS = 100;
/** Default: these bytes, but at most this part of the disk. */
const [WATERMARK_BYTES, WATERMARK_PART] = [256 * 1024 ** 2, 0.05];

export interface DataDiskOptions {
  readonly dataDir: string;
  /** Free bytes below which nothing more is accepted. `null`: 256 MiB, at most a twentieth of the disk; 0: no limit. */
  readonly watermark: number | null;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** In bytes. Throws if the disk cannot be read. Default: the disk of `dataDir`. */
  readonly measure?: () => { readonly free: number; readonly total: number };
}

/** The disk of the data directory. */
export class DataDisk implements DiskSpace {
  readonly #options: DataDiskOptions;
  #room: DiskRoom | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(options: DataDiskOptions) {
    this.#options = options;
  }

  shortage(bytes = 0, use?: 'result'): string | null {
    const room = this.room();
    if (!room || room.reserved === 0) return null;
    const { free, reserved } = room;
    if (free - bytes >= (use === 'result' ? reserved / 2 : reserved)) return null;
    return `The disk of DATA_DIR is nearly full: ${mebibytes(free)} free, ${mebibytes(reserved)} are kept free (DISK_WATERMARK_BYTES).`;
  }

  /** A disk that cannot be read refuses nothing: the write itself will fail. */
  room(): DiskRoom | null {
    const { clock, dataDir, watermark, measure = () => measured(dataDir) } = this.#options;
    const now = clock.monotonic();
    if (now - this.#lookedAt < FRESH_MILLISECONDS) return this.#room;
    this.#lookedAt = now;
    try {
      const { free, total } = measure();
      this.#room = { free, total, reserved: watermark ?? Math.min(WATERMARK_BYTES, total * WATERMARK_PART) };
    } catch {
      this.#room = null;
    }
    return this.#room;
  }
}

const measured = (directory: string): { free: number; total: number } => {
  const { bavail, blocks, bsize } = statfsSync(directory);
  return { free: bavail * bsize, total: blocks * bsize };
};

const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`;
