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

/**
 * Writes the pieces one after the other, in parts, so that a killed process leaves no hole. Returns the number of bytes. When it rejects, no write is
 * still running.
 */
export const writeAll = async (fd: number, pieces: readonly Uint8Array[], offset: number): Promise<number> => {
  let at = offset;
  for (let rest = pieces; rest.length > 0; ) {
    const { bytesWritten } = await writeOnce(fd, firstPart(rest), at);
    at += bytesWritten;
    rest = skip(rest, bytesWritten);
  }
  return at - offset;
};

const firstPart = (pieces: readonly Uint8Array[]): Uint8Array[] => {
  const part: Uint8Array[] = [];
  let left = PART_BYTES;
  for (const piece of pieces) {
    if (left === 0 || part.length === MAX_VECTORS) break;
    part.push(piece.subarray(0, left));
    left -= Math.min(left, piece.length);
  }
  return part;
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
