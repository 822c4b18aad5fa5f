import { downloadFile } from './downloadFile.ts';
import { openIncoming, putInPlace } from './filesOnDisk.ts';
import { totalBytes } from './installedModel.ts';
import { storedModels } from './installedModels.ts';
import { ModelError } from './modelName.ts';
import { type ModelRecord, sameFiles } from './modelRecord.ts';
import { configuredSource, hubSource, type ModelSource, SourceUnavailable } from './modelSource.ts';
import { publishedModel } from './publishedModels.ts';
import { verifyFiles } from './verifyModels.ts';

interface Pull {
  readonly modelsDir: string;
  readonly modelsUrl: string | null;
  /** Bytes of the whole model that are now on disk. */
  onProgress(bytes: number): void;
}

/** MODELS_URL first, then the hub if the model is published. */
const sourcesOf = (model: ModelRecord, modelsUrl: string | null): ModelSource[] => {
  const published = publishedModel(model.name);
  const hub = published !== undefined && sameFiles(published.files, model.files) ? [hubSource(published)] : [];
  return [...(modelsUrl === null ? [] : [configuredSource(modelsUrl)]), ...hub];
};

const pullFrom = async (source: ModelSource, model: ModelRecord, folder: string, onProgress: (bytes: number) => void): Promise<void> => {
  let done = 0;
  for (const file of model.files) {
    await downloadFile(source, model.name, file, folder, (bytes) => onProgress(done + bytes));
    done += file.bytes;
    onProgress(done);
  }
};

/** Whether it is installed with these files and hashes. */
const isInPlace = async (modelsDir: string, { name, files }: ModelRecord): Promise<boolean> => {
  const stored = (await storedModels(modelsDir)).find((one) => one.name === name);
  return stored?.state === 'whole' && sameFiles(stored.model.files, files) && (await verifyFiles(stored.model.folder, files)).length === 0;
};

/** Installs a model from the first source that has all of it. Does nothing if its files are already in place and intact. */
export const pullModel = async (model: ModelRecord, { modelsDir, modelsUrl, onProgress }: Pull): Promise<'installed' | 'present'> => {
  if (await isInPlace(modelsDir, model)) return 'present';
  const sources = sourcesOf(model, modelsUrl);
  if (sources.length === 0)
    throw new ModelError(`${model.name} is not a published model. Set MODELS_URL to the folder or the base URL that has it.`);
  const folder = await openIncoming(modelsDir, model.name, totalBytes(model.files));
  const reasons: string[] = [];
  for (const source of sources) {
    try {
      await pullFrom(source, model, folder, onProgress);
      await putInPlace(modelsDir, model);
      return 'installed';
    } catch (error) {
      if (!(error instanceof SourceUnavailable)) throw error;
      reasons.push(error.message);
    }
  }
  throw new ModelError(
    `Could not download ${model.name}: ${reasons.join('; ')}. Without a connection, set MODELS_URL to a folder or a server that has its files.`,
  );
};
