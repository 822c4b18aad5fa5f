import { readFile, stat } from 'node:fs/promises';
import { ModelError } from './modelName.ts';
import { type ModelRecord, parseModelRecord } from './modelRecord.ts';

const MAX_BYTES = 2 ** 20;

const entries = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  return [value];
};

const nameOf = (value: unknown): unknown => (typeof value === 'object' && value !== null && 'name' in value ? value.name : undefined);

/** One model of a manifest: the list that `tributary models list --json` prints, or a single entry of it. */
export const readManifest = async (path: string, name: string): Promise<ModelRecord> => {
  try {
    if ((await stat(path)).size > MAX_BYTES) throw new ModelError(`it is larger than ${MAX_BYTES} bytes`);
    const entry = entries(JSON.parse(await readFile(path, 'utf8'))).find((one) => nameOf(one) === name);
    if (entry === undefined) throw new ModelError(`it has no model ${name}`);
    return parseModelRecord(entry);
  } catch (error) {
    throw new ModelError(`The manifest ${path} cannot be used: ${error instanceof Error ? error.message : String(error)}.`);
  }
};
