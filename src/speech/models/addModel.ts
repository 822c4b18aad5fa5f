import { copyFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { COMMAND } from '../../commandName.ts';
import { hashFile, incomingFolder, openIncoming, putInPlace } from './filesOnDisk.ts';
import type { ModelFile } from './installedModel.ts';
import { storedModels } from './installedModels.ts';
import { checkModelName, ModelError } from './modelName.ts';
import { type ModelRecord, sameFiles } from './modelRecord.ts';
import { PACKAGED_NAME } from './packagedModel.ts';
import { publishedModel } from './publishedModels.ts';
import { readWhisperFolder } from './whisperFolder.ts';

const copyFiles = async (from: string, to: string, names: readonly string[]): Promise<ModelFile[]> => {
  const files: ModelFile[] = [];
  for (const file of names) {
    const path = join(to, file);
    await copyFile(join(from, file), path);
    files.push({ file, bytes: (await stat(path)).size, sha256: await hashFile(path) });
  }
  return files;
};

/** The name of a published model is reserved for its exact files. */
const checkPublished = (name: string, files: readonly ModelFile[]): void => {
  const published = publishedModel(name);
  if (published === undefined || sameFiles(published.files, files)) return;
  const wrong = published.files.find(({ file, sha256 }) => files.find((one) => one.file === file)?.sha256 !== sha256);
  throw new ModelError(
    `${name} is the name of a published model, and ${wrong?.file ?? 'a file'} is not the published one. Add yours under another name.`,
  );
};

/** Copies a Whisper model in CTranslate2's format into `modelsDir` and records the hash of each file. */
export const addModel = async (modelsDir: string, name: string, folder: string): Promise<ModelRecord> => {
  checkModelName(name);
  if (name === PACKAGED_NAME) throw new ModelError(`${name} is the name of the model of moonshine-voice. Choose another one.`);
  if ((await storedModels(modelsDir)).some((one) => one.name === name && one.state === 'whole'))
    throw new ModelError(`${name} is installed already. Remove it first: ${COMMAND} models remove ${name}`);
  const { files: names, languages } = await readWhisperFolder(folder);
  const sizes = await Promise.all(names.map(async (file) => (await stat(join(folder, file))).size));
  const incoming = await openIncoming(
    modelsDir,
    name,
    sizes.reduce((sum, size) => sum + size, 0),
  );
  try {
    const files = await copyFiles(folder, incoming, names);
    checkPublished(name, files);
    const record = { name, languages, files };
    await putInPlace(modelsDir, record);
    return record;
  } finally {
    await rm(incomingFolder(modelsDir, name), { recursive: true, force: true });
  }
};
