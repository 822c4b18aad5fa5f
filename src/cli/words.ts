import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { isoTime } from '../clock.ts';
import { parseTime } from '../domain/parseTime.ts';
import { isJsonObject, type JsonObject, jsonOrThrow } from '../json.ts';

/** Parsers of command-line arguments. Commander names the wrong option; the exit code is 2. */

export const countWord = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(text);
};

/** Times without a zone are UTC, whatever the machine's zone is. */
export const timeWord = (text: string): string => {
  const time = parseTime(text);
  if (time === null) throw new InvalidArgumentError('It must be an ISO 8601 time, such as 2026-11-21 or 2026-11-21T10:00:00Z.');
  return isoTime(time);
};

/** A revision or a time, returned unchanged. */
export const momentWord = (text: string): string => {
  if (!/^\d{1,18}$/.test(text) && parseTime(text) === null)
    throw new InvalidArgumentError('It must be a revision (from 0) or an ISO 8601 time, such as 2026-11-21T10:00:00Z.');
  return text;
};

export const uuidWord = (text: string): string => {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) throw new InvalidArgumentError('It must be a UUID.');
  return text.toLowerCase();
};

/** Length as the credential service counts it, in code points. */
export const labelWord = (text: string): string => {
  if (text === '' || [...text].length > 255) throw new InvalidArgumentError('It must be 1 to 255 characters.');
  return text;
};

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
