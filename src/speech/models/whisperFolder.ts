import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonOrThrow } from '../../json.ts';
import type { ModelLanguages } from './installedModel.ts';
import { ModelError } from './modelName.ts';

/** Files of a Whisper model in CTranslate2's format that faster-whisper reads. */
export interface WhisperFolder {
  readonly files: readonly string[];
  readonly languages: ModelLanguages;
}

const MAX_TEXT_BYTES = 64 * 2 ** 20;

const sizeOf = async (path: string): Promise<number | null> => {
  const found = await stat(path).catch(() => null);
  return found?.isFile() ? found.size : null;
};

/** The name of the architecture follows the version (32 bits) and its own length (16 bits). */
const checkWeights = async (folder: string): Promise<void> => {
  const file = await open(join(folder, 'model.bin'));
  const { buffer } = await file.read(Buffer.alloc(18), 0, 18, 0).finally(() => file.close());
  if (buffer.toString('latin1', 6) !== 'WhisperSpec\0')
    throw new ModelError(`${join(folder, 'model.bin')} is not a Whisper model in CTranslate2's format.`);
};

const readJson = async (folder: string, file: string): Promise<unknown> => {
  const path = join(folder, file);
  if (((await sizeOf(path)) ?? 0) > MAX_TEXT_BYTES) throw new ModelError(`${path} is larger than ${MAX_TEXT_BYTES} bytes.`);
  const text = await readFile(path, 'utf8').catch(() => '');
  return jsonOrThrow(text, () => new ModelError(`${path} is not JSON.`));
};

const missing = async (folder: string, file: string): Promise<ModelError> => {
  const isTransformers =
    (await sizeOf(join(folder, 'model.safetensors'))) !== null || (await sizeOf(join(folder, 'pytorch_model.bin'))) !== null;
  const convert = `ct2-transformers-converter --model ${folder} --output_dir NEW_FOLDER --copy_files tokenizer.json preprocessor_config.json`;
  if (isTransformers) return new ModelError(`${folder} holds a model of Transformers. Convert it first: ${convert}`);
  const advice = file === 'tokenizer.json' ? ' Copy it from the model that yours was made from.' : '';
  return new ModelError(`${folder} has no ${file}: it is not a Whisper model in CTranslate2's format.${advice}`);
};

/** CTranslate2 treats a Whisper model as multilingual if its vocabulary has the empty token. */
const languagesOf = async (folder: string, vocabulary: string): Promise<ModelLanguages> => {
  if (vocabulary === 'vocabulary.json') {
    const tokens = await readJson(folder, vocabulary);
    if (!Array.isArray(tokens)) throw new ModelError(`${join(folder, vocabulary)} is not a list of tokens.`);
    return tokens.includes('') ? 'many' : 'en';
  }
  const tokens = (await readFile(join(folder, vocabulary), 'utf8')).replace(/\n$/, '').split('\n');
  return tokens.includes('') ? 'many' : 'en';
};

/** Checks that a folder contains a Whisper model in CTranslate2's format. Throws a `ModelError` that names missing parts. */
export const readWhisperFolder = async (folder: string): Promise<WhisperFolder> => {
  for (const file of ['model.bin', 'config.json', 'tokenizer.json'])
    if ((await sizeOf(join(folder, file))) === null) throw await missing(folder, file);
  const vocabularies = await Promise.all(
    ['vocabulary.json', 'vocabulary.txt'].map(async (file) => ((await sizeOf(join(folder, file))) === null ? [] : [file])),
  );
  const [vocabulary] = vocabularies.flat();
  if (vocabulary === undefined) throw await missing(folder, 'vocabulary.json or vocabulary.txt');
  await checkWeights(folder);
  for (const file of ['config.json', 'tokenizer.json']) await readJson(folder, file);
  const optional = (await sizeOf(join(folder, 'preprocessor_config.json'))) === null ? [] : ['preprocessor_config.json'];
  return {
    files: ['model.bin', 'config.json', 'tokenizer.json', vocabulary, ...optional],
    languages: await languagesOf(folder, vocabulary),
  };
};
