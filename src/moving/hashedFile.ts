import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, writeFile } from 'node:fs/promises';

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

/** Copies a file to a new, synced one (mode 0600) and returns the facts of the copy. */
export const copyHashed = async (from: string, to: string): Promise<FileSum> => {
  const source = await open(from, 'r');
  try {
    const target = await open(to, 'wx', 0o600);
    try {
      const sum = await pipeHashed(source, target);
      await target.datasync();
      return sum;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
};

/** Writes a new file (mode 0600), synced, and says what was written. */
export const writeHashed = async (bytes: Uint8Array, to: string): Promise<FileSum> => {
  await writeFile(to, bytes, { flag: 'wx', mode: 0o600, flush: true });
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
};

const pipeHashed = async (source: FileHandle, target: FileHandle): Promise<FileSum> => {
  const hash = createHash('sha256');
  const block = Buffer.allocUnsafe(BLOCK);
  for (let bytes = 0; ; ) {
    const { bytesRead } = await source.read(block, 0, BLOCK, bytes);
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
    const read = block.subarray(0, bytesRead);
    hash.update(read);
    for (let written = 0; written < bytesRead; )
      written += (await target.write(read, written, bytesRead - written, bytes + written)).bytesWritten;
    bytes += bytesRead;
  }
};

/** Makes the entries of a directory durable. */
export const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, 'r');
  await handle.sync();
  await handle.close();
};
