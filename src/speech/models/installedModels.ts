import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { filesAreThere } from './filesOnDisk.ts';
import { type InstalledModel, totalBytes } from './installedModel.ts';
import { isModelName, RECORD_FILE } from './modelName.ts';
import { type ModelRecord, parseModelRecord, sameFiles } from './modelRecord.ts';
import { packagedModel, SPEECH_ENVIRONMENT } from './packagedModel.ts';
import { PUBLISHED_MODELS, publishedModel } from './publishedModels.ts';

/** A folder of `modelsDir`: a complete model, or one with a missing file or record. */
export type StoredModel = { readonly name: string } & (
  | { readonly state: 'whole'; readonly model: InstalledModel }
  | { readonly state: 'damaged'; readonly record: ModelRecord | null }
);

const MAX_RECORD_BYTES = 2 ** 20;

const readRecord = async (folder: string, name: string): Promise<ModelRecord | null> => {
  const path = join(folder, RECORD_FILE);
  try {
    if ((await stat(path)).size > MAX_RECORD_BYTES) return null;
    const record = parseModelRecord(JSON.parse(await readFile(path, 'utf8')));
    return record.name === name ? record : null;
  } catch {
    return null;
  }
};

const storedModel = async (modelsDir: string, name: string): Promise<StoredModel> => {
  const folder = resolve(modelsDir, name);
  const record = await readRecord(folder, name);
  if (record === null || !(await filesAreThere(folder, record.files))) return { name, state: 'damaged', record };
  const { languages, files } = record;
  const published = publishedModel(name);
  const origin = published !== undefined && sameFiles(published.files, files) ? 'published' : 'added';
  return { name, state: 'whole', model: { name, engine: 'whisper', folder, languages, bytes: totalBytes(files), origin, files } };
};

/** Every model folder in `modelsDir`, including damaged ones, by name. A missing folder has no models. */
export const storedModels = async (modelsDir: string): Promise<StoredModel[]> => {
  const entries = await readdir(modelsDir, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && isModelName(entry.name)).map(({ name }) => name);
  return Promise.all(names.sort().map((name) => storedModel(modelsDir, name)));
};

const PUBLISHED_ORDER: readonly string[] = PUBLISHED_MODELS.map(({ name }) => name);
const rank = ({ name, origin }: InstalledModel): number =>
  origin === 'published' ? PUBLISHED_ORDER.indexOf(name) : PUBLISHED_ORDER.length;

/**
 * Whisper models of `modelsDir` in order of preference (base, small, tiny.en, then added ones by name), then the model packaged with moonshine.
 * Checks only names and sizes, so it is fast. `environment`: virtual environment of the engines.
 */
export const installedModels = async (modelsDir: string, environment: string = SPEECH_ENVIRONMENT): Promise<InstalledModel[]> => {
  const [stored, packaged] = await Promise.all([storedModels(modelsDir), packagedModel(environment)]);
  const whole = stored.flatMap((one) => (one.state === 'whole' ? [one.model] : []));
  return [...whole.sort((one, other) => rank(one) - rank(other)), ...(packaged === null ? [] : [packaged])];
};
