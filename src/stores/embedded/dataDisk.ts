import { statfsSync } from 'node:fs';
import type { Clock } from '../../clock.ts';
import type { DiskRoom, MeasuredDisk } from '../diskSpace.ts';
import { AddedBytes } from './addedBytes.ts';

/** How long a reading of the disk is reused, so that a burst of frames reads it once. */
const FRESH_MILLISECONDS = 100;
/** Defaults: these bytes, but at most this part of the disk. */
const [WATERMARK_BYTES, WATERMARK_PART] = [256 * 1024 ** 2, 0.05];
const [SHARED_BYTES, SHARED_PART] = [1024 ** 3, 0.1];
/** Accepted work ends although its user may not upload any more: results may be this many times the share, and use this part of the reserve. */
const [RESULT_SHARES, RESERVE_PART] = [2, 1 / 16];

export interface DataDiskOptions {
  readonly dataDir: string;
  /** Free bytes below which nothing more is accepted. `null`: 256 MiB, at most a twentieth of the disk; 0: no limit and no shares. */
  readonly watermark: number | null;
  /** Free bytes above the watermark of which each user has a share. `null`: 1 GiB, at most a tenth of the disk; 0: no shares. */
  readonly shared: number | null;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** In bytes. Throws if the disk cannot be read. Default: the disk of `dataDir`. */
  readonly measure?: () => { readonly free: number; readonly total: number };
}

/**
 * The disk of the data directory.
 *
 * It is short while less than `shared` bytes are free above the watermark. A user may then have added, since it became short, at most as many bytes as are
 * left above the watermark. So one user can take half of the shared bytes, two greedy ones a third each, and some are always left for users who have added
 * little. Nothing expires while the disk is short: deleted bytes are given back, and everyone begins again when it is not short any more.
 */
export class DataDisk implements MeasuredDisk {
  readonly #options: DataDiskOptions;
  /** Since the disk became short. */
  readonly added = new AddedBytes();
  #free = Number.POSITIVE_INFINITY;
  #total = 0;
  #watermark = 0;
  #shared = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(options: DataDiskOptions) {
    this.#options = options;
  }

  shortage(bytes = 0): string | null {
    this.#look();
    if (this.#watermark === 0 || this.#free - bytes >= this.#watermark) return null;
    return `The disk of DATA_DIR is nearly full: ${mebibytes(this.#free)} free, ${mebibytes(this.#watermark)} are kept free (DISK_WATERMARK_BYTES).`;
  }

  warning(): string | null {
    const shortage = this.shortage();
    if (shortage !== null || !this.isShort) return shortage;
    return `The disk of DATA_DIR is short: ${mebibytes(this.#free)} free. A user may add at most as many bytes as are left above ${mebibytes(this.#watermark)} (DISK_SHARED_BYTES).`;
  }

  get isShort(): boolean {
    this.#look();
    return this.#free < this.#sharedFrom;
  }

  exceedsShare(subject: string, bytes = 0, use?: 'result'): boolean {
    this.#look();
    const after = this.#free - bytes;
    if (after >= this.#sharedFrom) return false;
    const left = Math.max(0, after - this.#watermark);
    const share = use === 'result' ? RESULT_SHARES * left + RESERVE_PART * Math.min(this.#watermark, this.#shared) : left;
    return this.added.of(subject) + this.#sharedPart(bytes, after) > share;
  }

  count(subject: string, bytes: number, topic?: string): void {
    this.#look();
    // Until the next look.
    this.#free -= bytes;
    const counted = this.#sharedPart(bytes, this.#free);
    if (counted > 0) this.added.add(subject, counted, topic);
  }

  freed(topic: string): void {
    this.added.free(topic);
  }

  room(): DiskRoom | null {
    this.#look();
    return Number.isFinite(this.#free) ? { free: this.#free, total: this.#total, reserved: this.#watermark, shared: this.#shared } : null;
  }

  /** Of bytes after which `free` are left, those that are taken of the shared ones. */
  #sharedPart(bytes: number, free: number): number {
    return Math.min(bytes, this.#sharedFrom - free);
  }

  /** Free bytes below which users have shares. */
  get #sharedFrom(): number {
    return this.#shared === 0 ? Number.NEGATIVE_INFINITY : this.#watermark + this.#shared;
  }

  /** A disk that cannot be read refuses nothing here: the write itself will fail. */
  #look(): void {
    const { clock, dataDir, watermark, shared, measure = () => measured(dataDir) } = this.#options;
    const now = clock.monotonic();
    if (now - this.#lookedAt < FRESH_MILLISECONDS) return;
    this.#lookedAt = now;
    try {
      const { free, total } = measure();
      this.#free = free;
      this.#total = total;
      this.#watermark = watermark ?? Math.min(WATERMARK_BYTES, total * WATERMARK_PART);
      this.#shared = this.#watermark === 0 ? 0 : (shared ?? Math.min(SHARED_BYTES, total * SHARED_PART));
      if (free >= this.#sharedFrom) this.added.clear();
    } catch {
      this.#free = Number.POSITIVE_INFINITY;
    }
  }
}

const measured = (directory: string): { free: number; total: number } => {
  const { bavail, blocks, bsize } = statfsSync(directory);
  return { free: bavail * bsize, total: blocks * bsize };
};

const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`;
