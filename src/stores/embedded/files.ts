import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { StoreUnavailable } from '../eventStore.ts';

/**
 * The system calls that topics need, on bare descriptors: a FileHandle costs more than a small write. Each runs on the thread pool and
 * rejects with `StoreUnavailable`, whose `cause` has the system's code.
 */

const refused = (error: unknown): never => {
  throw new StoreUnavailable(`the topics cannot be used: ${error instanceof Error ? error.message : error}`, { cause: error });
};

const calling =
  <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
  (...args: A): Promise<R> =>
    call(...args).catch(refused);

export const open: (path: string, flags: string, mode?: number) => Promise<number> = calling(promisify(fs.open));
/** On the pool: a file that was unlinked is freed by it. */
export const close: (fd: number) => Promise<void> = calling(promisify(fs.close));
/** For a file whose data are synced: nothing is left to be done, so it takes less than a turn of the pool. A refusal is passed over. */
export const closeSynced = (fd: number): void => {
  try {
    fs.closeSync(fd);
  } catch {
    // The descriptor is gone all the same.
  }
};
export const unlink: (path: string) => Promise<void> = calling(promisify(fs.unlink));
export const listed: (path: string) => Promise<string[]> = calling((path: string) => fs.promises.readdir(path));
export const truncate: (fd: number, size: number) => Promise<void> = calling(promisify(fs.ftruncate));
/** File data, and all of the metadata that reading it back needs. */
export const syncData: (fd: number) => Promise<void> = calling(promisify(fs.fdatasync));
export const sync: (fd: number) => Promise<void> = calling(promisify(fs.fsync));
const stat = promisify(fs.fstat);
const readAt = promisify(fs.read);
const readOnce = calling((fd: number, buffer: Buffer, from: number, length: number, offset: number) =>
  readAt(fd, buffer, from, length, offset),
);
const writeOnce: (fd: number, pieces: readonly Uint8Array[], offset: number) => Promise<{ bytesWritten: number }> = calling(
  promisify(fs.writev),
);

export const sizeOf: (fd: number) => Promise<number> = calling(async (fd: number) => (await stat(fd)).size);

/** The system's code of a refused call, such as `ENOENT`. */
export const codeOf = (error: unknown): unknown =>
  error instanceof StoreUnavailable && error.cause instanceof Error && 'code' in error.cause ? error.cause.code : undefined;

/** `null` when there is no such file. */
export const openExisting = async (path: string, flags: 'r' | 'r+'): Promise<number | null> => {
  try {
    return await open(path, flags);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
};

/** Fewer bytes than asked for only at the end of the file. A fresh buffer each time: the caller may keep parts of it. */
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

/** The most that one system call takes. */
const MAX_VECTORS = 1_024;

/** Writes all of them, one after the other. Returns their bytes. */
export const writeAll = async (fd: number, pieces: readonly Uint8Array[], offset: number): Promise<number> => {
  let rest = pieces;
  let at = offset;
  while (rest.length > 0) {
    const { bytesWritten } = await writeOnce(fd, rest.slice(0, MAX_VECTORS), at);
    at += bytesWritten;
    rest = skip(rest, bytesWritten);
  }
  return at - offset;
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
