import { existsSync, statSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Format } from './formats.ts';

/** The output files of a source under a name. */
export const outputPaths = (folder: string, name: string, formats: readonly Format[]): string[] =>
  formats.map((format) => join(folder, `${name}.${format}`));

export const allExist = (paths: readonly string[]): boolean => paths.every((path) => existsSync(path));

/** `time`: milliseconds since the epoch. */
export const allWrittenSince = (paths: readonly string[], time: number): boolean =>
  paths.every((path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= time);

/** Writes a file as a whole: a killed command leaves the old one, or none. Creates its folder. */
export const writeWhole = async (path: string, content: Uint8Array): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.${process.pid}.part`;
  try {
    const file = await open(part, 'w');
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
};
