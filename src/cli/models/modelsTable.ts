import { chooseModel } from '../../speech/models/chooseModel.ts';
import { megabytes } from '../../speech/models/filesOnDisk.ts';
import { type InstalledModel, totalBytes } from '../../speech/models/installedModel.ts';
import { PUBLISHED_MODELS } from '../../speech/models/publishedModels.ts';
import { table } from '../table.ts';

/** A model and its use. The JSON form also serves as a manifest for `models pull --manifest`. */
export const rowsOf = (installed: readonly InstalledModel[], named: string | null): (InstalledModel & { readonly usedFor: string })[] => {
  const chosen = chooseModel(installed, { named });
  return installed.map((model) => ({ ...model, usedFor: usedFor(model, chosen) }));
};

const usedFor = (model: InstalledModel, chosen: InstalledModel | null): string => {
  if (model.engine === 'moonshine') return chosen === null ? 'recordings and live audio' : 'live audio';
  return model === chosen ? 'recordings' : `templates with "model": "${model.name}"`;
};

const languagesWord = { en: 'English', many: '99 languages' };

/** The installed, damaged, and available models. */
export const modelsTable = (installed: readonly InstalledModel[], damaged: readonly string[], named: string | null): string => {
  const rows = rowsOf(installed, named).map((model) => [
    model.name,
    model.engine,
    languagesWord[model.languages],
    megabytes(model.bytes),
    model.origin,
    model.usedFor,
    model.folder,
  ]);
  const parts =
    rows.length === 0
      ? ['No models are installed.']
      : [table(['name', 'engine', 'languages', 'size', 'origin', 'used for', 'folder'], rows)];
  for (const name of damaged) parts.push(`${name} is damaged and not used. See: npx tributary models verify ${name}`);
  const missing = PUBLISHED_MODELS.filter(({ name }) => !installed.some((model) => model.name === name));
  if (missing.length > 0) {
    const offers = missing.map(({ name, languages, files }) => `${name} (${languagesWord[languages]}, ${megabytes(totalBytes(files))})`);
    parts.push(`Not installed: ${offers.join(', ')}. Install one: npx tributary models pull ${missing[0]?.name}`);
  }
  if (named !== null && chooseModel(installed, { named }) === null) parts.push(`WHISPER_MODEL names ${named}, which is not installed.`);
  return parts.join('\n');
};
