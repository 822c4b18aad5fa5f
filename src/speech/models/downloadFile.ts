import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hashFile } from './filesOnDisk.ts';
import type { ModelFile } from './installedModel.ts';
import { ModelError } from './modelName.ts';
import { type ModelSource, SourceUnavailable } from './modelSource.ts';

/** Consecutive cuts without a new byte after which the source counts as unavailable. */
const MAX_CUTS = 3;

/** Bytes of the model's file that are now on disk. */
type OnBytes = (bytes: number) => void;

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => null))?.size ?? 0;

/** The pieces up to a cut of the transfer, which ends them without an error: the caller asks for the rest. */
async function* untilCut(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* pieces;
  } catch {
    // The reason does not matter.
  }
}

const cannotWrite = (path: string) => (error: unknown) => {
  throw new ModelError(
    `Cannot write ${path}: ${error instanceof Error ? error.message : String(error)}. Free disk space or set MODELS_DIR to another folder, then try again.`,
  );
};

const writeAll = async (output: FileHandle, piece: Uint8Array, position: number): Promise<void> => {
  for (let written = 0; written < piece.byteLength; )
    written += (await output.write(piece, written, piece.byteLength - written, position + written)).bytesWritten;
};

/**
 * Appends data of the source to the existing part. Ends early, without an error, if the transfer is cut. Throws a `ModelError` if the file cannot be
 * written, and then keeps the part; or if the source sends too much, and then removes it.
 */
const transfer = async (source: ModelSource, model: string, { file, bytes }: ModelFile, path: string, onBytes: OnBytes): Promise<void> => {
  const { from, pieces } = await source.open(model, file, await sizeOf(path));
  const output = await open(path, from === 0 ? 'w' : 'r+').catch(cannotWrite(path));
  let position = from;
  try {
    for await (const piece of untilCut(pieces)) {
      if (position + piece.byteLength > bytes) {
        await rm(path);
        throw new ModelError(`${file} from ${source.label} is larger than the ${bytes} bytes of the model's file. It was not installed.`);
      }
      await writeAll(output, piece, position).catch(cannotWrite(path));
      position += piece.byteLength;
      onBytes(position);
    }
    await output.sync().catch(cannotWrite(path));
  } finally {
    await output.close();
  }
};

const fetchWhole = async (source: ModelSource, model: string, wanted: ModelFile, path: string, onBytes: OnBytes): Promise<void> => {
  for (let cuts = 0; ; ) {
    const before = await sizeOf(path);
    if (before > wanted.bytes) await rm(path);
    else if (before === wanted.bytes && before > 0) return;
    await transfer(source, model, wanted, path, onBytes);
    const after = await sizeOf(path);
    if (after === wanted.bytes) return;
    cuts = after > before ? 0 : cuts + 1;
    if (cuts === MAX_CUTS) throw new SourceUnavailable(`${source.label} broke off ${wanted.file} at ${after} of ${wanted.bytes} bytes`);
  }
};

/**
 * Downloads one file of a model into `folder`, continuing an earlier attempt. A file with another hash is removed and refused with a `ModelError`.
 * If the source cannot provide it, throws `SourceUnavailable`; if it cannot be written, a `ModelError`. Both keep the part.
 */
export const downloadFile = async (
  source: ModelSource,
  model: string,
  wanted: ModelFile,
  folder: string,
  onBytes: OnBytes,
): Promise<void> => {
  const path = join(folder, wanted.file);
  const resumed = (await sizeOf(path)) > 0;
  await fetchWhole(source, model, wanted, path, onBytes);
  const sha256 = await hashFile(path);
  if (sha256 === wanted.sha256) return;
  await rm(path);
  // The existing part may have been of another file.
  if (resumed) return downloadFile(source, model, wanted, folder, onBytes);
  throw new ModelError(
    `${wanted.file} from ${source.label} is not the file of the model ${model}: its SHA-256 is ${sha256} instead of ${wanted.sha256}. It was not installed.`,
  );
};
