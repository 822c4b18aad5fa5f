import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { isJsonObject, type JsonObject, jsonOrThrow } from '../../json.ts';

export const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new Error(`The file ${file} cannot be read.`);
  }
};

/** `where` names the text in the error. */
export const jsonOf = (text: string, where: string): unknown => jsonOrThrow(text, () => new Error(`${where} is not JSON.`));

export const objectIn = (file: string): JsonObject => {
  const value = jsonOf(readText(file), file);
  if (!isJsonObject(value)) throw new Error(`${file} does not hold a JSON object.`);
  return value;
};

/** A word of the command line that is JSON, or `@file` with it. */
export const jsonWord = (text: string): unknown => {
  try {
    return text.startsWith('@') ? jsonOf(readText(text.slice(1)), text.slice(1)) : jsonOf(text, 'It');
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
};

/** A word that is a JSON object, or `@file` with one. */
export const objectWord = (text: string): JsonObject => {
  const value = jsonWord(text);
  if (isJsonObject(value)) return value;
  throw new InvalidArgumentError('It must be a JSON object, or @file with one.');
};

/** A word that names a schema, or `@file` with a JSON Schema. */
export const schemaWord = (text: string): string | JsonObject => (text.startsWith('@') ? objectWord(text) : text);
