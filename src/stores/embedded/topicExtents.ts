import { closeSync, constants, existsSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writevSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncPath } from '../syncPath.ts';

/**
 * Extents for the topics of large commits, in a file beside `log.db`. SQLite writes a topic of 64 KiB twice, in 17 pages each: into the write-ahead
 * log, and from there into its file. Written here, it takes one write. It also takes a sync before the commit, which only pays for several topics
 * at once.
 *
 * An extent belongs to a topic while the table `extents` says so. Bytes are synced before that row is committed, and overwritten after its removal
 * was committed, so a crash leaves no row without its bytes. Free extents may still hold bytes after a crash: `tidy` overwrites those.
 */
export const EXTENT_BYTES = 72 * 1024;
/** Smaller topics are rows: an extent would waste more than half of its room. */
const MIN_BYTES = EXTENT_BYTES / 2;
/** Extents that one call of `tidy` looks at, which takes one to two milliseconds. */
const TIDIED = 32;
const ZEROES = Buffer.alloc(EXTENT_BYTES);

export const fitsExtent = (segment: Uint8Array): boolean => segment.length > MIN_BYTES && segment.length <= EXTENT_BYTES;

export const extentFileOf = (log: string): string => `${log.replace(/\.db$/, '')}.extents`;

/** Used by the log's writer only. All methods may throw errors of the file system. */
export class TopicExtents {
  /** Extents with a topic that the file was too short for at the start. */
  readonly lost: number;
  readonly #path: string;
  #fd = -1;
  /** Extents of the file so far. */
  #count: number;
  /** Free, and known to hold zeroes. */
  #clean: number[] = [];
  /** Free, and possibly with bytes of a former topic. */
  #dirty: number[] = [];
  /** Of the transaction under way. */
  #written: number[] = [];
  #released: number[] = [];
  /** Of failed transactions: if the process dies before the next commit, SQLite may find them committed after all. */
  #doubtful: number[] = [];
  /** Whether zeroes that are read are on the disk. After a failed sync, they may be in memory only. */
  #trustsReads = true;
  readonly #read = Buffer.alloc(EXTENT_BYTES);

  /** `taken`: in order. What a crash left behind the last one is cut off. */
  constructor(path: string, taken: readonly number[]) {
    this.#path = path;
    this.#count = (taken.at(-1) ?? -1) + 1;
    let next = 0;
    for (const extent of taken) {
      for (; next < extent; next++) this.#dirty.push(next);
      next = extent + 1;
    }
    this.lost = 0;
    if (this.#count === 0 && !existsSync(path)) return;
    this.#open();
    const whole = Math.floor(fstatSync(this.#fd).size / EXTENT_BYTES);
    this.lost = taken.filter((extent) => extent >= whole).length;
    ftruncateSync(this.#fd, this.#count * EXTENT_BYTES);
  }

  /** Whether `tidy` has something to do. */
  get isUntidy(): boolean {
    return this.#dirty.length > 0;
  }

  /** Writes a topic into a free extent, whose number it returns. `sync` makes it durable. */
  write(segment: Uint8Array): number {
    this.#open();
    const extent = this.#clean.pop() ?? this.#dirty.pop() ?? this.#count++;
    this.#written.push(extent);
    const pieces = [segment, ZEROES.subarray(segment.length)];
    const written = writevSync(this.#fd, pieces, extent * EXTENT_BYTES);
    if (written === EXTENT_BYTES) return extent;
    throw Object.assign(new Error(`only ${written} of ${EXTENT_BYTES} bytes could be written to ${this.#path}`), { code: 'ENOSPC' });
  }

  sync(): void {
    if (this.#fd < 0) return;
    try {
      fdatasyncSync(this.#fd);
    } catch (error) {
      // The zeroes of free extents may not be on the disk, so all of these are overwritten again.
      this.#trustsReads = false;
      this.#dirty.push(...this.#clean);
      this.#clean = [];
      throw error;
    }
  }

  /** The transaction under way removes the extent's row. */
  release(extent: number): void {
    this.#released.push(extent);
  }

  committed(): void {
    this.#dirty.push(...this.#doubtful, ...this.#released);
    this.#doubtful = [];
    this.#written = [];
    this.#released = [];
  }

  rolledBack(): void {
    this.#doubtful.push(...this.#written);
    this.#written = [];
    this.#released = [];
  }

  /** Overwrites bytes of former topics, in some extents or in all of them. Does not sync. */
  tidy(extents: number = TIDIED): void {
    for (let left = extents; left > 0; left--) {
      const extent = this.#dirty.at(-1);
      if (extent === undefined) return;
      this.#overwrite(extent);
      this.#dirty.pop();
      this.#clean.push(extent);
    }
  }

  /** Overwrites all bytes of former topics. Returns when that is durable. */
  purge(): void {
    this.tidy(Number.POSITIVE_INFINITY);
    this.sync();
  }

  close(): void {
    if (this.#fd >= 0) closeSync(this.#fd);
  }

  /** Creates the file for the first topic, and again if it was lost. Readers then find zeroes, and report damage. */
  #open(): void {
    if (this.#fd >= 0) return;
    const fd = openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      syncPath(dirname(this.#path));
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    this.#fd = fd;
  }

  /** Does not extend the file, which may end within the last extent after a failed write. */
  #overwrite(extent: number): void {
    const at = extent * EXTENT_BYTES;
    const length = readSync(this.#fd, this.#read, 0, EXTENT_BYTES, at);
    const zeroes = ZEROES.subarray(0, length);
    if (length === 0 || (this.#trustsReads && this.#read.subarray(0, length).equals(zeroes))) return;
    const written = writevSync(this.#fd, [zeroes], at);
    if (written < length) throw new Error(`only ${written} of ${length} bytes could be overwritten in ${this.#path}`);
  }
}
