import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { StoreUnavailable } from '../eventStore.ts';

/**
 * The system calls that topics need, on bare descriptors: a FileHandle costs more than a small write. Each runs on the thread pool and rejects with
 * `StoreUnavailable`, whose `cause` has the system's code.
 */

const refused = (error: unknown): never => {
  throw new StoreUnavailable(`the topics cannot be used: ${error instanceof Error ? error.message : error}`, { cause: error });
};

const calling =
  <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
  (...args: A): Promise<R> =>
    call(...args).catch(refused);

export const open: (path: string, flags: string, mode?: number) => Promise<number> = calling(promisify(fs.open));
/** Runs on the pool, because closing an unlinked file frees it on disk. */
export const close: (fd: number) => Promise<void> = calling(promisify(fs.close));
/** For a file whose data are synced: closing it takes less time than a turn of the pool. Errors are ignored. */
export const closeSynced = (fd: number): void => {
  try {
    fs.closeSync(fd);
  } catch {
    // The descriptor is closed even on an error.
  }
};
export const unlink: (path: string) => Promise<void> = calling(promisify(fs.unlink));
export const listed: (path: string) => Promise<string[]> = calling((path: string) => fs.promises.readdir(path));
export const truncate: (fd: number, size: number) => Promise<void> = calling(promisify(fs.ftruncate));
/** File data, and all of the metadata that reading it back needs. */
export const syncData: (fd: number) => Promise<void> = calling(promisify(fs.fdatasync));
const sync: (fd: number) => Promise<void> = calling(promisify(fs.fsync));
/** Makes the entries of a directory durable. */
export const syncDirectory = async (path: string): Promise<void> => {
  const fd = await open(path, 'r');
  await sync(fd).finally(() => closeSynced(fd));
};
const stat = promisify(fs.fstat);
const readAt = promisify(fs.read);
const readOnce = calling((fd: number, buffer: Buffer, from: number, length: number, offset: number) =>
  readAt(fd, buffer, from, length, offset),
);
const writeOnce: (fd: number, pieces: readonly Uint8Array[], offset: number) => Promise<{ bytesWritten: number }> = calling(
  promisify(fs.writev),
);

export const sizeOf: (fd: number) => Promise<number> = calling(async (fd: number) => (await stat(fd)).size);

/** The system's error code, such as `ENOENT`. */
export const codeOf = (error: unknown): unknown =>
  error instanceof StoreUnavailable && error.cause instanceof Error && 'code' in error.cause ? error.cause.code : undefined;

/** `null` if the file does not exist. */
export const openExisting = async (path: string, flags: 'r' | 'r+'): Promise<number | null> => {
  try {
    return await open(path, flags);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
};

/** Returns fewer bytes than requested only at the end of the file. Allocates a new buffer each time, because callers may keep parts of it. */
export const read = async (fd: number, offset: number, length: number): Promise<Buffer> => {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await readOnce(fd, buffer, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled === length ? buffer : buffer.subarray(0, filled);
};

/** The largest size of one system call. */
const MAX_VECTORS = 1_024;
/** Larger writes make the kernel look for larger cache pages: up to three times slower per byte, as measured on Linux 6.18. */
const PART_BYTES = 131_072;
/** Concurrent parts of one write, so that the pool always has the next one. */
const PARTS_AT_ONCE = 2;

interface Part {
  readonly pieces: readonly Uint8Array[];
  readonly at: number;
}

/**
 * Writes the pieces one after the other, in parts; the last part after all others, so that a killed process leaves no end after a hole. Returns the
 * number of bytes. When it rejects, no write is still running.
 */
export const writeAll = async (fd: number, pieces: readonly Uint8Array[], offset: number): Promise<number> => {
  const { parts, end } = partsOf(pieces, offset);
  const last = parts.pop();
  let failed = false;
  const writeNext = async (): Promise<void> => {
    for (let part = parts.shift(); part && !failed; part = parts.shift()) await writePart(fd, part);
  };
  const writers = Array.from({ length: Math.min(PARTS_AT_ONCE, parts.length) }, () =>
    writeNext().catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  for (const outcome of await Promise.allSettled(writers)) if (outcome.status === 'rejected') throw outcome.reason;
  if (last) await writePart(fd, last);
  return end - offset;
};

const writePart = async (fd: number, { pieces, at }: Part): Promise<void> => {
  let written = 0;
  for (let rest = pieces; rest.length > 0; ) {
    const { bytesWritten } = await writeOnce(fd, rest, at + written);
    written += bytesWritten;
    rest = skip(rest, bytesWritten);
  }
};

/** Each part fits into one system call. */
const partsOf = (pieces: readonly Uint8Array[], offset: number): { parts: Part[]; end: number } => {
  const parts: Part[] = [];
  let part: Uint8Array[] = [];
  let at = offset;
  let end = offset;
  const close = (): void => {
    if (part.length > 0) parts.push({ pieces: part, at });
    part = [];
    at = end;
  };
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      if (end - at === PART_BYTES || part.length === MAX_VECTORS) close();
      const slice = piece.subarray(from, from + PART_BYTES - (end - at));
      part.push(slice);
      from += slice.length;
      end += slice.length;
    }
  }
  close();
  return { parts, end };
};

const skip = (pieces: readonly Uint8Array[], bytes: number): readonly Uint8Array[] => {
  let left = bytes;
  let index = 0;
  for (let piece = pieces[0]; piece && left >= piece.length; piece = pieces[index]) {
    left -= piece.length;
    index += 1;
  }
  const partial = pieces[index];
  return left > 0 && partial ? [partial.subarray(left), ...pieces.slice(index + 1)] : pieces.slice(index);
};
