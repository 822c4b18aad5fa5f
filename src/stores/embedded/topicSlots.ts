import { closeSync, constants, existsSync, fdatasyncSync, fsyncSync, ftruncateSync, openSync, readSync, writevSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Slots for the topics of large commits, in a file beside `log.db`. SQLite writes a topic of 64 KiB twice, in 17 pages each: into the write-ahead
 * log, and from there into its file. Written here, it takes one write. It also takes a sync before the commit, which only pays for several topics
 * at once.
 *
 * A slot belongs to a topic while the table `slots` says so. Bytes are synced before that row is committed, and overwritten after its removal was
 * committed, so a crash leaves no row without its bytes. Free slots may still hold bytes after a crash: `tidy` overwrites those.
 */
export const SLOT_BYTES = 72 * 1024;
/** Smaller topics are rows: a slot would waste more than half of its room. */
const MIN_BYTES = SLOT_BYTES / 2;
/** Slots that one call of `tidy` overwrites: as many as one transaction frees. It takes about 2 ms if they are empty. */
const TIDIED = 128;
const ZEROES = Buffer.alloc(SLOT_BYTES);

export const fitsSlot = (segment: Uint8Array): boolean => segment.length > MIN_BYTES && segment.length <= SLOT_BYTES;

export const slotFileOf = (log: string): string => `${log.replace(/\.db$/, '')}.slots`;

/** Used by the log's writer only. All methods may throw errors of the file system. */
export class TopicSlots {
  readonly #path: string;
  #fd = -1;
  /** Slots of the file so far. */
  #count: number;
  /** Free, and known to hold zeroes. */
  readonly #free: number[] = [];
  /** Free, and possibly with bytes of a former topic. */
  #used: number[] = [];
  #written: number[] = [];
  #released: number[] = [];

  /** `taken`: in order. What a crash left behind the last one is cut off. */
  constructor(path: string, taken: readonly number[]) {
    this.#path = path;
    this.#count = (taken.at(-1) ?? -1) + 1;
    let next = 0;
    for (const slot of taken) {
      for (; next < slot; next++) this.#used.push(next);
      next = slot + 1;
    }
    if (this.#count === 0 && !existsSync(path)) return;
    this.#open();
    ftruncateSync(this.#fd, this.#count * SLOT_BYTES);
  }

  /** Writes a topic into a free slot, whose number it returns. `sync` makes it durable. */
  write(segment: Uint8Array): number {
    this.#open();
    const slot = this.#free.pop() ?? this.#used.pop() ?? this.#count++;
    this.#written.push(slot);
    this.#fill(slot, [segment, ZEROES.subarray(segment.length)]);
    return slot;
  }

  sync(): void {
    if (this.#fd >= 0) fdatasyncSync(this.#fd);
  }

  /** The transaction under way removes the slot's row. */
  release(slot: number): void {
    this.#released.push(slot);
  }

  /** The transaction has been committed, or else rolled back. */
  ended(committed: boolean): void {
    this.#used.push(...(committed ? this.#released : this.#written));
    this.#written = [];
    this.#released = [];
  }

  /** Overwrites bytes of former topics, in some slots or in all of them. Does not sync. */
  tidy(slots: number = TIDIED): void {
    for (let left = slots; left > 0 && this.#used.length > 0; left--) {
      const slot = this.#used.at(-1) as number;
      if (!this.#isEmpty(slot)) this.#fill(slot, [ZEROES]);
      this.#used.pop();
      this.#free.push(slot);
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

  /** There is no file before the first topic. Readers find zeroes in a file that was lost, and report them. */
  #open(): void {
    if (this.#fd >= 0) return;
    this.#fd = openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
    syncEntryOf(this.#path);
  }

  #fill(slot: number, pieces: readonly Uint8Array[]): void {
    const written = writevSync(this.#fd, pieces, slot * SLOT_BYTES);
    if (written === SLOT_BYTES) return;
    throw Object.assign(new Error(`only ${written} of ${SLOT_BYTES} bytes could be written to ${this.#path}`), { code: 'ENOSPC' });
  }

  #isEmpty(slot: number): boolean {
    const bytes = Buffer.allocUnsafe(SLOT_BYTES);
    const length = readSync(this.#fd, bytes, 0, SLOT_BYTES, slot * SLOT_BYTES);
    return bytes.subarray(0, length).equals(ZEROES.subarray(0, length));
  }
}

const syncEntryOf = (path: string): void => {
  const directory = openSync(dirname(path), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
};
