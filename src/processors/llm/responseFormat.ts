import { isJsonObject, type Json, type JsonObject, jsonObjectIn } from '../../json.ts';
import { ProcessorError, type RunContext } from '../processor.ts';
import type { CallerSchemas, CompileVerdict, ValueVerdict } from '../schemas/callerSchemas.ts';

/** Checks the response formats of one attempt. */
export interface FormatChecker {
  readonly schemas: CallerSchemas;
  readonly owner: string;
  readonly signal: AbortSignal;
}

export const formatChecker = (schemas: CallerSchemas, { owner, signal }: Pick<RunContext, 'owner' | 'signal'>): FormatChecker => ({
  schemas,
  owner,
  signal,
});

export interface ResponseFormat {
  readonly schema: JsonObject;
  /** Rejects with `ProcessorError` if the check is too costly. */
  fits(value: Json): Promise<boolean>;
}

const wrong = (promptId: string, what: string) =>
  new ProcessorError('PROCESSOR_PROPERTIES_VALIDATION_ERROR', `The response format of prompt "${promptId}" ${what}.`);

const refuse = (promptId: string, verdict: CompileVerdict | ValueVerdict): void => {
  if (verdict.is === 'unusable') throw wrong(promptId, `is not a JSON Schema: ${verdict.reason}`);
  if (verdict.is === 'costly') throw wrong(promptId, `cannot be used: ${verdict.reason}`);
};

/** Rejects with `ProcessorError` if the text is not a JSON Schema or is too costly. */
export const readFormat = async (
  specification: string,
  promptId: string,
  { schemas, owner, signal }: FormatChecker,
): Promise<ResponseFormat> => {
  const schema = jsonObjectIn(specification);
  if (!schema) throw wrong(promptId, 'is not a JSON Schema: it is not a JSON object');
  refuse(promptId, await schemas.compile(schema, owner));
  return {
    schema,
    fits: async (value) => {
      const verdict = await schemas.validate(schema, value, owner, { signal });
      refuse(promptId, verdict);
      return verdict.is === 'fits';
    },
  };
};

/** The shapes that extracted sentences can fill: text, a list of texts, or an object with one such member. */
const candidates = ({ properties, required }: JsonObject, sentences: readonly string[]): Json[] => {
  const plain: Json[] = [sentences.join(' '), [...sentences]];
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  const only = names.length === 1 ? names[0] : Array.isArray(required) && required.length === 1 ? required[0] : undefined;
  if (typeof only !== 'string' || only === '__proto__') return plain;
  return [...plain.map((value) => ({ [only]: value })), ...plain];
};

/**
 * The sentences as JSON text that matches the JSON Schema. Rejects with `ProcessorError` for an invalid schema, and for a schema that extracted
 * sentences cannot fill: numbers, enumerations and several members need a language model.
 */
export const formatted = async (
  specification: string,
  sentences: readonly string[],
  promptId: string,
  checker: FormatChecker,
): Promise<string> => {
  const { schema, fits } = await readFormat(specification, promptId, checker);
  for (const candidate of candidates(schema, sentences)) if (await fits(candidate)) return JSON.stringify(candidate);
  throw new ProcessorError(
    'PROCESSOR_FEATURE_ERROR',
    `The response format of prompt "${promptId}" needs a language model (LLM_URL): the offline engine only quotes sentences.`,
  );
};
