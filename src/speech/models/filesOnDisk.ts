import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelFile } from './installedModel.ts';
import { ModelError, RECORD_FILE } from './modelName.ts';
import type { ModelRecord } from './modelRecord.ts';

/** Whether every file exists with its size. Cheap: `tributary models verify` checks the contents. */
export const filesAreThere = async (folder: string, files: readonly ModelFile[]): Promise<boolean> => {
  const sizes = await Promise.all(files.map(({ file }) => stat(join(folder, file)).catch(() => null)));
  return files.every(({ bytes }, n) => sizes[n]?.isFile() === true && sizes[n].size === bytes);
};

/** SHA-256 of a file in lower-case hexadecimal. */
export const hashFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(piece);
  return hash.digest('hex');
};

/** Folder in which the files of a model are collected: the dot keeps it out of lists. */
export const incomingFolder = (modelsDir: string, name: string): string => join(modelsDir, '.incoming', name);

/** Creates the folder. Throws a `ModelError` if the disk has too little room for `bytes` more. */
export const openIncoming = async (modelsDir: string, name: string, bytes: number): Promise<string> => {
  const folder = incomingFolder(modelsDir, name);
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw new ModelError(
      `Cannot write to ${modelsDir}: ${error instanceof Error ? error.message : String(error)}. Set MODELS_DIR to a folder of your own.`,
    );
  }
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < bytes)
    throw new ModelError(`${name} needs ${megabytes(bytes)}, and ${modelsDir} has room for ${megabytes(bavail * bsize)}.`);
  return folder;
};

export const megabytes = (bytes: number): string =>
  bytes < 1e5 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

/** Moves a complete, checked folder into place in one step, then removes an older model of the same name. */
export const putInPlace = async (modelsDir: string, { name, languages, files }: ModelRecord): Promise<void> => {
  const incoming = incomingFolder(modelsDir, name);
  await writeFile(join(incoming, RECORD_FILE), `${JSON.stringify({ name, languages, files }, null, 2)}\n`);
  const target = join(modelsDir, name);
  const old = incomingFolder(modelsDir, `${name}.old`);
  await rm(old, { recursive: true, force: true });
  await rename(target, old).catch(() => undefined);
  await rename(incoming, target);
  await rm(old, { recursive: true, force: true });
};
