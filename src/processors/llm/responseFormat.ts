import { Ajv2020 } from 'ajv/dist/2020.js';
import { Problem } from '../../domain/problem.ts';
import type { Json } from '../../json.ts';
import { ProcessorError } from '../processor.ts';
import { bounded } from './boundedCheck.ts';
import type { Prompts } from './prompts.ts';

const OPTIONS = { strict: false, logger: false, validateFormats: false, inlineRefs: false } as const;
const SCHEMAS = new Ajv2020(OPTIONS);

/** A response format that was checked. */
export interface ResponseFormat {
  /** A JSON Schema. */
  readonly schema: Json;
  /** Whether a value fits; one that cannot be told in bounded time does not. */
  fits(value: Json): boolean;
}

const wrong = (promptId: string, what: string) =>
  new ProcessorError('PROCESSOR_PROPERTIES_VALIDATION_ERROR', `The response format of prompt "${promptId}" is ${what}.`);

const parsed = (specification: string, promptId: string): Json => {
  try {
    return JSON.parse(specification);
  } catch {
    throw wrong(promptId, 'no JSON');
  }
};

const member = (value: Json | undefined, name: string): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/**
 * Reads a JSON Schema given as text. `$schema` is not looked at: the drafts differ in little that matters here. Nor is `$async`, which is ajv's
 * own: with it a check would give a promise, and its rejection end the process. Throws `ProcessorError`.
 */
export const readFormat = (specification: string, promptId: string): ResponseFormat => {
  const value = parsed(specification, promptId);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(promptId, 'no JSON Schema');
  const { $schema: _, $async: __, ...schema } = value;
  // Makes, at the first call, what schemas are checked with: ended in the middle of that, it would refuse every schema from then on.
  SCHEMAS.validateSchema({});
  try {
    return bounded(() => {
      if (SCHEMAS.validateSchema(schema) !== true) throw wrong(promptId, 'no JSON Schema');
      // Checked above, once for all.
      const validate = new Ajv2020({ ...OPTIONS, meta: false, validateSchema: false }).compile(schema);
      return { schema: value, fits: (answer: Json) => boundedly(() => validate(answer) === true) };
    });
  } catch {
    throw wrong(promptId, 'no JSON Schema that can be used');
  }
};

/** A format that no answer can be checked against costs no upload. Throws `Problem`. */
export const refuseWrongFormats = ({ questions }: Prompts): void => {
  try {
    for (const { format, promptId } of questions) if (format !== null) readFormat(format, promptId);
  } catch (error) {
    throw error instanceof ProcessorError ? new Problem(error.errorName, error.message) : error;
  }
};

const boundedly = (check: () => boolean): boolean => {
  try {
    return bounded(check);
  } catch {
    return false;
  }
};

/** The forms that sentences can honestly be brought into: text, a list of texts, an object with one such member. */
const candidates = (schema: Json, sentences: readonly string[]): Json[] => {
  const plain: Json[] = [sentences.join(' '), [...sentences]];
  const properties = member(schema, 'properties');
  const names = typeof properties === 'object' && properties !== null && !Array.isArray(properties) ? Object.keys(properties) : [];
  const required = member(schema, 'required');
  const only = names.length === 1 ? names[0] : Array.isArray(required) && required.length === 1 ? required[0] : undefined;
  if (typeof only !== 'string' || only === '__proto__') return plain;
  return [...plain.map((value) => ({ [only]: value })), ...plain];
};

/**
 * The sentences as JSON text that fits the JSON Schema. Rejects with `ProcessorError` for what is no schema, and for one that sentences
 * of the text cannot fill: numbers, choices and several members need a model that understands the text.
 */
export const formatted = (specification: string, sentences: readonly string[], promptId: string): string => {
  const { schema, fits } = readFormat(specification, promptId);
  const fitting = candidates(schema, sentences).find(fits);
  if (fitting !== undefined) return JSON.stringify(fitting);
  throw new ProcessorError(
    'PROCESSOR_FEATURE_ERROR',
    `The response format of prompt "${promptId}" needs a language model (LLM_URL): the offline engine only quotes sentences.`,
  );
};
