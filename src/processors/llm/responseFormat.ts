import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json } from '../../json.ts';
import { ProcessorError } from '../processor.ts';

/** Patterns of a caller could run for ever: a format that has some is left to a language model. */
const refusePatterns = Object.assign(
  (): never => {
    throw new Error('patterns are not run');
  },
  { code: 'refusePatterns' },
);

const OPTIONS = { strict: false, logger: false, validateFormats: false } as const;
const SCHEMAS = new Ajv2020(OPTIONS);

const parsed = (specification: string, promptId: string): Json => {
  try {
    return JSON.parse(specification);
  } catch {
    throw new ProcessorError('PROCESSOR_PROPERTIES_VALIDATION_ERROR', `The response format of prompt "${promptId}" is no JSON.`);
  }
};

const member = (value: Json | undefined, name: string): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, name) ? value[name] : undefined;

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
  const schema = parsed(specification, promptId);
  try {
    if (typeof schema === 'object' && schema !== null && !Array.isArray(schema) && SCHEMAS.validateSchema(schema) === true) {
      // Checked above: the schema of schemas has patterns itself.
      const unchecked = { ...OPTIONS, meta: false, validateSchema: false, code: { regExp: refusePatterns } };
      const validate = new Ajv2020(unchecked).compile(schema);
      const fitting = candidates(schema, sentences).find((candidate) => validate(candidate));
      if (fitting !== undefined) return JSON.stringify(fitting);
    }
  } catch {
    // No schema, or one with patterns: the same answer as for one that does not fit.
  }
  throw new ProcessorError(
    'PROCESSOR_FEATURE_ERROR',
    `The response format of prompt "${promptId}" needs a language model (LLM_URL): the offline engine only quotes sentences.`,
  );
};
