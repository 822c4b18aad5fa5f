import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, constants, copyFile, open, writeFile } from 'node:fs/promises';

/** Size and SHA-256 (hex) of a file. */
export interface FileSum {
  readonly bytes: number;
  readonly sha256: string;
}

const BLOCK = 262_144;

/** Hashes a file that SQLite does not have open in this process: closing it here would drop SQLite's locks on it. */
export const sumOf = async (file: string): Promise<FileSum> => {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const block of createReadStream(file, { highWaterMark: BLOCK })) {
    hash.update(block);
    bytes += block.length;
  }
  return { bytes, sha256: hash.digest('hex') };
};

/** Copies a file to a new, synced one (mode 0600). Returns the size and the SHA-256 of the copy. */
export const copyHashed = async (from: string, to: string): Promise<FileSum> => {
  await copyFile(from, to, constants.COPYFILE_EXCL);
  await chmod(to, 0o600);
  await makeDurable(to);
  return sumOf(to);
};

/** Writes a new file (mode 0600), synced, and says what was written. */
export const writeHashed = async (bytes: Uint8Array, to: string): Promise<FileSum> => {
  await writeFile(to, bytes, { flag: 'wx', mode: 0o600, flush: true });
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
};

/** Makes a file, or the entries of a directory, durable. */
export const makeDurable = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
};
