import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { COMMAND } from '../../commandName.ts';
import { hashFile } from './filesOnDisk.ts';
import type { ModelFile } from './installedModel.ts';
import { storedModels } from './installedModels.ts';
import { ModelError, RECORD_FILE } from './modelName.ts';
import { packagedModel } from './packagedModel.ts';

/** Defects of the files in `folder`, a sentence each; empty if every byte is correct. */
export const verifyFiles = async (folder: string, files: readonly ModelFile[]): Promise<string[]> => {
  const problems: string[] = [];
  for (const { file, bytes, sha256 } of files) {
    const found = await stat(join(folder, file)).catch(() => null);
    if (found === null || !found.isFile()) problems.push(`${file} is missing`);
    else if (found.size !== bytes) problems.push(`${file} has ${found.size} bytes instead of ${bytes}`);
    else if ((await hashFile(join(folder, file))) !== sha256) problems.push(`${file} has other bytes: its SHA-256 is wrong`);
  }
  return problems;
};

export interface Verification {
  readonly name: string;
  readonly problems: readonly string[];
}

/** Checks every byte of one model or of all, including the packaged one. Throws a `ModelError` if the named one does not exist. */
export const verifyModels = async (modelsDir: string, name: string | null, environment?: string): Promise<Verification[]> => {
  const stored = (await storedModels(modelsDir)).map((one) => {
    const files = one.state === 'whole' ? one.model.files : (one.record?.files ?? null);
    return { name: one.name, folder: join(modelsDir, one.name), files };
  });
  const packaged = await packagedModel(environment);
  const chosen = [...stored, ...(packaged === null ? [] : [packaged])].filter((one) => name === null || one.name === name);
  if (name !== null && chosen.length === 0) throw new ModelError(`The model ${name} is not installed. See: ${COMMAND} models list`);
  const checked: Verification[] = [];
  for (const { name, folder, files } of chosen)
    checked.push({ name, problems: files === null ? [`${RECORD_FILE} is missing or damaged`] : await verifyFiles(folder, files) });
  return checked;
};
