import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/** Size and SHA-256 (hex) of a file. */
export interface FileSum {
  readonly bytes: number;
  readonly sha256: string;
}

const BLOCK = 262_144;

/** Adds up blocks as they pass. */
class Summing {
  readonly #hash = createHash('sha256');
  #bytes = 0;

  async *through(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    for await (const block of blocks) {
      this.#hash.update(block);
      this.#bytes += block.length;
      yield block;
    }
  }

  sum(): FileSum {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}

/** Hashes a file that SQLite does not have open in this process: closing it here would drop SQLite's locks on it. */
export const sumOf = async (file: string): Promise<FileSum> => {
  const summing = new Summing();
  for await (const _ of summing.through(createReadStream(file, { highWaterMark: BLOCK })));
  return summing.sum();
};

/** Copies a file to a new, synced one (mode 0600). Returns the size and the SHA-256 of what was read. */
export const copyHashed = async (from: string, to: string): Promise<FileSum> => {
  const summing = new Summing();
  // Opened first: without a source, no file is made.
  const source = (await open(from, 'r')).createReadStream({ highWaterMark: BLOCK });
  await pipeline(source, (blocks) => summing.through(blocks), createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }));
  return summing.sum();
};

/** Writes a new file (mode 0600), synced, and says what was written. */
export const writeHashed = async (bytes: Uint8Array, to: string): Promise<FileSum> => {
  await writeFile(to, bytes, { flag: 'wx', mode: 0o600, flush: true });
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
};

/** Makes the entries of a directory durable. */
export const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, 'r');
  await handle.sync().finally(() => handle.close());
};
