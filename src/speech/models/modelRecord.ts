import { readFile, stat } from 'node:fs/promises';
import { isJsonObject, memberOf } from '../../json.ts';
import type { ModelFile, ModelLanguages } from './installedModel.ts';
import { isFileName, isModelName, ModelError } from './modelName.ts';

/** The definition of a model: its files by their hashes. The form of a record beside installed files, and of a manifest. */
export interface ModelRecord {
  readonly name: string;
  readonly languages: ModelLanguages;
  readonly files: readonly ModelFile[];
}

const MAX_FILES = 64;
const MAX_FILE_BYTES = 64 * 2 ** 30;

const parseFile = (value: unknown): ModelFile => {
  if (!isJsonObject(value)) throw new ModelError('each of "files" must be an object with "file", "bytes" and "sha256"');
  const { file, bytes, sha256 } = value;
  if (typeof file !== 'string' || !isFileName(file)) throw new ModelError(`"${String(file)}" cannot be the name of a model's file`);
  if (typeof bytes !== 'number' || !Number.isSafeInteger(bytes) || bytes < 0 || bytes > MAX_FILE_BYTES)
    throw new ModelError(`"bytes" of ${file} must be a whole number from 0 to ${MAX_FILE_BYTES}`);
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/i.test(sha256))
    throw new ModelError(`"sha256" of ${file} must be 64 hexadecimal digits`);
  return { file, bytes, sha256: sha256.toLowerCase() };
};

/** Checks a record from outside. Throws a `ModelError` that names the member at fault; other members are ignored. */
export const parseModelRecord = (value: unknown): ModelRecord => {
  if (!isJsonObject(value)) throw new ModelError('a model must be an object with "name", "languages" and "files"');
  const { name, languages, files } = value;
  if (typeof name !== 'string' || !isModelName(name)) throw new ModelError(`"${String(name)}" cannot be the name of a model`);
  if (languages !== 'en' && languages !== 'many') throw new ModelError(`"languages" of ${name} must be "en" or "many"`);
  if (!Array.isArray(files) || files.length === 0 || files.length > MAX_FILES)
    throw new ModelError(`"files" of ${name} must be a list of 1 to ${MAX_FILES}`);
  const parsed = files.map(parseFile);
  // Lower-cased, since some file systems ignore case.
  if (new Set(parsed.map(({ file }) => file.toLowerCase())).size < parsed.length)
    throw new ModelError(`"files" of ${name} names a file twice`);
  return { name, languages, files: parsed };
};

/** Whether both consist of the same files. */
export const sameFiles = (one: readonly ModelFile[], other: readonly ModelFile[]): boolean => {
  const keys = (files: readonly ModelFile[]) => files.map(({ file, bytes, sha256 }) => `${file} ${bytes} ${sha256}`).sort();
  return keys(one).join('\n') === keys(other).join('\n');
};

const MAX_BYTES = 2 ** 20;

/** One model of a manifest: the list that `tributary models list --json` prints, or a single entry of it. */
export const readManifest = async (path: string, name: string): Promise<ModelRecord> => {
  try {
    if ((await stat(path)).size > MAX_BYTES) throw new ModelError(`it is larger than ${MAX_BYTES} bytes`);
    const entries: unknown[] = [JSON.parse(await readFile(path, 'utf8'))].flat();
    const entry = entries.find((one) => memberOf(one, 'name') === name);
    if (entry === undefined) throw new ModelError(`it has no model ${name}`);
    return parseModelRecord(entry);
  } catch (error) {
    throw new ModelError(`The manifest ${path} cannot be used: ${error instanceof Error ? error.message : String(error)}.`);
  }
};
