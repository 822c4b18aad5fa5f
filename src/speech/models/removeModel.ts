import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { COMMAND } from '../../commandName.ts';
import { incomingFolder } from './filesOnDisk.ts';
import { storedModels } from './installedModels.ts';
import { checkModelName, ModelError, RECORD_FILE } from './modelName.ts';
import { PACKAGED_NAME } from './packagedModel.ts';

/** Removes a model, including damaged ones and unfinished downloads. */
export const removeModel = async (modelsDir: string, name: string): Promise<void> => {
  checkModelName(name);
  if (name === PACKAGED_NAME) throw new ModelError(`${name} is part of the Python package moonshine-voice and cannot be removed alone.`);
  const stored = (await storedModels(modelsDir)).some((one) => one.name === name);
  await rm(incomingFolder(modelsDir, name), { recursive: true, force: true });
  if (!stored) throw new ModelError(`The model ${name} is not installed. See: ${COMMAND} models list`);
  // Without its record it no longer counts as a model, even if the removal is interrupted.
  await rm(join(modelsDir, name, RECORD_FILE), { force: true });
  await rm(join(modelsDir, name), { recursive: true, force: true });
};
