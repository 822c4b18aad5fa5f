import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** What a file was. `sha256` in hex. */
export interface FileSum {
  readonly bytes: number;
  readonly sha256: string;
}

const BLOCK = 262_144;

/** Of a file that nothing in this process has open through SQLite: closing it would drop SQLite's locks on it. */
export const sumOf = async (file: string): Promise<FileSum> => {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const block of createReadStream(file, { highWaterMark: BLOCK })) {
    hash.update(block);
    bytes += block.length;
  }
  return { bytes, sha256: hash.digest('hex') };
};

/** Copies a file to a new one (mode 0600), synced, and says what was copied. */
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
