import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { COMMAND } from '../../commandName.ts';
import { type Config, readConfig } from '../../config.ts';
import { addModel } from '../../speech/models/addModel.ts';
import { chooseModel } from '../../speech/models/chooseModel.ts';
import { megabytes } from '../../speech/models/filesOnDisk.ts';
import { type InstalledModel, totalBytes } from '../../speech/models/installedModel.ts';
import { installedModels, storedModels } from '../../speech/models/installedModels.ts';
import { checkModelName, ModelError } from '../../speech/models/modelName.ts';
import { type ModelRecord, readManifest } from '../../speech/models/modelRecord.ts';
import { PUBLISHED_MODELS, publishedModel } from '../../speech/models/publishedModels.ts';
import { removeModel } from '../../speech/models/removeModel.ts';
import { verifyModels } from '../../speech/models/verifyModels.ts';
import { table } from '../table.ts';

const CODES = '\nExit codes: 0 done, 1 failed, 2 wrong arguments or settings.';

const settings = (): Pick<Config, 'modelsUrl' | 'whisperModel'> & { modelsDir: string } => {
  const { modelsDir, modelsUrl, whisperModel } = readConfig({ ...process.env, EVENTSTORE_URL: '', MONGODB_URL: '' });
  return { modelsDir: resolve(modelsDir), modelsUrl, whisperModel };
};

const nameWord = (text: string): string => {
  try {
    return checkModelName(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof ModelError ? error.message : String(error));
  }
};

/** `tributary models list | pull | add | verify | remove`. */
export const modelsCommand = (): Command => {
  const models = new Command('models')
    .description('Install, check, list and remove speech models. A running server uses a new model from its next run on.')
    .addHelpText('after', `\nExample:\n  tributary models pull base\n${CODES}`);
  models
    .command('list')
    .description('Installed models, with language, size, folder and the engine that uses each.')
    .option('--json', 'print JSON, which "pull --manifest" also takes')
    .addHelpText('after', '\nExample:\n  tributary models list --json')
    .action(({ json }) => list(json === true));
  models
    .command('pull')
    .argument('<name>', 'such as base, small or tiny.en', nameWord)
    .description(
      'Download a model from MODELS_URL or the Hugging Face hub. Every file is checked by its SHA-256. An interrupted download resumes.',
    )
    .option('--manifest <file>', 'names, sizes and hashes of models of your own, as "list --json" prints them')
    .addHelpText(
      'after',
      '\nExample:\n  tributary models pull base\n  MODELS_URL=https://models.example.org tributary models pull court --manifest models.json',
    )
    .action((name: string, { manifest }) => pull(name, manifest));
  models
    .command('add')
    .argument('<name>', 'what to call it', nameWord)
    .argument('<folder>', "a Whisper model in CTranslate2's format")
    .description('Copy a model of your own into MODELS_DIR and record its hashes.')
    .addHelpText('after', '\nExample:\n  tributary models add court ./whisper-court-ct2')
    .action((name: string, folder: string) => add(name, folder));
  models
    .command('verify')
    .argument('[name]', 'default: all models', nameWord)
    .description('Check every byte of the installed models.')
    .addHelpText('after', '\nExample:\n  tributary models verify base')
    .action((name: string | undefined) => verify(name ?? null));
  models
    .command('remove')
    .argument('<name>', 'of an installed model', nameWord)
    .description('Delete a model and its unfinished downloads.')
    .addHelpText('after', '\nExample:\n  tributary models remove tiny.en')
    .action((name: string) => remove(name));
  return models;
};

const list = async (json: boolean): Promise<void> => {
  const { modelsDir, whisperModel } = settings();
  const installed = await installedModels(modelsDir);
  if (json) return void process.stdout.write(`${JSON.stringify(rowsOf(installed, whisperModel), null, 2)}\n`);
  const damaged = (await storedModels(modelsDir)).flatMap((one) => (one.state === 'damaged' ? [one.name] : []));
  process.stdout.write(`${modelsTable(installed, damaged, whisperModel)}\n`);
};

const recordOf = async (name: string, manifest: string | undefined): Promise<ModelRecord> => {
  if (manifest !== undefined) return readManifest(manifest, name);
  const published = publishedModel(name);
  if (published !== undefined) return published;
  const names = PUBLISHED_MODELS.map((model) => model.name).join(', ');
  throw new ModelError(
    `${name} is not a published model: those are ${names}. For a model of your own: tributary models add ${name} FOLDER, or pull with --manifest.`,
  );
};

const pull = async (name: string, manifest: string | undefined): Promise<void> => {
  const { modelsDir, modelsUrl } = settings();
  const model = await recordOf(name, manifest);
  const size = totalBytes(model.files);
  const [{ pullModel }, { downloadBar }] = await Promise.all([import('../../speech/models/pullModel.ts'), import('./downloadBar.ts')]);
  const bar = downloadBar(name, size);
  const outcome = await pullModel(model, { modelsDir, modelsUrl, onProgress: (bytes) => bar.show(bytes) }).finally(() => bar.end());
  process.stdout.write(
    outcome === 'present'
      ? `${name} is installed already: every file is right.\n`
      : `Installed ${name} (${megabytes(size)}) in ${modelsDir}.\n`,
  );
};

const add = async (name: string, folder: string): Promise<void> => {
  const { modelsDir } = settings();
  const { files, languages } = await addModel(modelsDir, name, resolve(folder));
  const speaks = languages === 'en' ? 'English' : 'multilingual';
  process.stdout.write(
    `Added ${name} (${speaks}, ${megabytes(totalBytes(files))}). To use it: WHISPER_MODEL=${name}, or "model": "${name}" in a template.\n`,
  );
};

const verify = async (name: string | null): Promise<void> => {
  const checked = await verifyModels(settings().modelsDir, name);
  if (checked.length === 0) process.stdout.write(`No models are installed. Install one: ${COMMAND} models pull base\n`);
  for (const { name, problems } of checked)
    process.stdout.write(`${name}: ${problems.length === 0 ? 'every file is right' : problems.join('; ')}\n`);
  if (checked.every(({ problems }) => problems.length === 0)) return;
  process.exitCode = 1;
};

const remove = async (name: string): Promise<void> => {
  await removeModel(settings().modelsDir, name);
  process.stdout.write(`Removed ${name}.\n`);
};

/** A model and its use. The JSON form also serves as a manifest for `models pull --manifest`. */
const rowsOf = (installed: readonly InstalledModel[], named: string | null): (InstalledModel & { readonly usedFor: string })[] => {
  const chosen = chooseModel(installed, { named });
  return installed.map((model) => ({ ...model, usedFor: usedFor(model, chosen) }));
};

const usedFor = (model: InstalledModel, chosen: InstalledModel | null): string => {
  if (model.engine === 'moonshine') return chosen === null ? 'recordings and live audio' : 'live audio';
  return model === chosen ? 'recordings' : `templates with "model": "${model.name}"`;
};

const languagesWord = { en: 'English', many: '99 languages' };

const modelsTable = (installed: readonly InstalledModel[], damaged: readonly string[], named: string | null): string => {
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
  for (const name of damaged) parts.push(`${name} is damaged and not used. See: ${COMMAND} models verify ${name}`);
  const missing = PUBLISHED_MODELS.filter(({ name }) => !installed.some((model) => model.name === name));
  if (missing.length > 0) {
    const offers = missing.map(({ name, languages, files }) => `${name} (${languagesWord[languages]}, ${megabytes(totalBytes(files))})`);
    parts.push(`Not installed: ${offers.join(', ')}. Install one: ${COMMAND} models pull ${missing[0]?.name}`);
  }
  if (named !== null && chooseModel(installed, { named }) === null) parts.push(`WHISPER_MODEL names ${named}, which is not installed.`);
  return parts.join('\n');
};
