import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { Problem } from '../../domain/problem.ts';
import type { JsonSchema } from '../../json.ts';
import { OWN_SCHEMAS } from '../../schema.ts';

const newAjv = (allErrors: boolean): Ajv2020 => {
  const strictness = { strict: true, strictTypes: false, strictRequired: false, allowUnionTypes: true };
  const ajv = new Ajv2020({ ...OWN_SCHEMAS, ...strictness, allErrors, useDefaults: true });
  formats.default(ajv);
  ajv.addVocabulary(['personal', 'secret', 'example']);
  return ajv;
};

// Naming every bad field takes memory proportional to the input: only small inputs get all errors, others the first one.
const MAX_SIZE_FOR_ALL_ERRORS = 65_536;
const MAX_NESTED = 50;
/** Reasons in the message. The nested errors have more. */
const MAX_REASONS = 5;
const first = newAjv(false);
const all = newAjv(true);

/** Checks a value that a caller sent; throws GENERAL_VALIDATION_ERROR with one nested error a field. Fills in defaults. */
export type Check = (value: unknown, sizeInBytes: number) => void;

/** `what` names the whole in the message, such as `body`. The schema is compiled at its first use: a start does not pay for all routes. */
export const checkFor = (schema: JsonSchema, what: 'body' | 'query'): Check => {
  let validate: ValidateFunction | undefined;
  let validateAll: ValidateFunction | undefined;
  return (value, sizeInBytes) => {
    validate ??= first.compile(schema);
    if (validate(value)) return;
    let errors = validate.errors ?? [];
    if (sizeInBytes <= MAX_SIZE_FOR_ALL_ERRORS) {
      validateAll ??= all.compile(schema);
      validateAll(value);
      errors = validateAll.errors ?? errors;
    }
    throw validationProblem(
      errors.map((error) => fieldError(error, what)),
      what,
    );
  };
};

export interface FieldError {
  /** Dotted, empty for the whole. */
  readonly field: string;
  readonly message: string;
}

/** 400 GENERAL_VALIDATION_ERROR, with the first error of each field. A `message` continues a sentence that begins with the field. */
export const validationProblem = (errors: readonly FieldError[], what: string): Problem => {
  const byField = new Map<string, string>();
  for (const { field, message } of errors) if (!byField.has(field)) byField.set(field, message);
  const nested = [...byField]
    .slice(0, MAX_NESTED)
    .map(([field, message]) => new Problem('GENERAL_VALIDATION_ERROR', `${field || what}: ${message}`));
  const reasons = [...byField].slice(0, MAX_REASONS).map(([field, message]) => `${field || 'it'} ${message}`);
  const others = byField.size > MAX_REASONS ? `; and ${byField.size - MAX_REASONS} more` : '';
  return new Problem('GENERAL_VALIDATION_ERROR', `The ${what} is not valid: ${reasons.join('; ')}${others}.`, { nested });
};

/** The same for one field. */
export const invalid = (field: string, message: string, what: string): Problem => validationProblem([{ field, message }], what);

const fieldError = (error: ErrorObject, what: 'body' | 'query'): FieldError => {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer);
  // A caller knows a parameter by its name, however many values it has.
  const parts = what === 'query' ? path.slice(0, 1) : path;
  const { missingProperty, additionalProperty, allowedValues } = error.params;
  if (typeof missingProperty === 'string') return { field: [...parts, missingProperty].join('.'), message: 'is required' };
  if (typeof additionalProperty === 'string') return { field: shown([...parts, additionalProperty]), message: 'is not a known member' };
  if (error.params.type === 'boolean') return { field: shown(parts), message: 'must be true or false' };
  const values = Array.isArray(allowedValues) ? `: ${allowedValues.join(', ')}` : '';
  return { field: shown(parts), message: `${error.message ?? 'is not valid'}${values}` };
};

const unescapePointer = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

// Member names come from the caller: truncated, so that an answer stays small.
const shown = (parts: readonly string[]): string => parts.join('.').slice(0, 200);
