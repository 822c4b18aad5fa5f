import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelFile } from './installedModel.ts';

/** Whether every file is there with its size. Cheap: contents are checked by `tributary models verify`. */
export const filesAreThere = async (folder: string, files: readonly ModelFile[]): Promise<boolean> => {
  const sizes = await Promise.all(files.map(({ file }) => stat(join(folder, file)).catch(() => null)));
  return files.every(({ bytes }, n) => sizes[n]?.isFile() === true && sizes[n].size === bytes);
};
