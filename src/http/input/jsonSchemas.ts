import type { JsonSchema } from '../../json.ts';

/** The words in which the schemas of the public interface are written. */

export const text: JsonSchema = { type: 'string' };
export const textOrNull: JsonSchema = { type: ['string', 'null'] };
export const uuid: JsonSchema = { type: 'string', format: 'uuid' };
export const uuidOrNull: JsonSchema = { type: ['string', 'null'], format: 'uuid' };
export const time: JsonSchema = { type: 'string', format: 'date-time' };
export const timeOrNull: JsonSchema = { type: ['string', 'null'], format: 'date-time' };
export const integer: JsonSchema = { type: 'integer' };
export const integerOrNull: JsonSchema = { type: ['integer', 'null'] };
export const count: JsonSchema = { type: 'integer', minimum: 0 };
/** A count that always fits into 32 bits. All other integers are documented as int64. */
export const small: JsonSchema = { type: 'integer', format: 'int32', minimum: 0 };
/** Raw bytes. */
export const binary: JsonSchema = { type: 'string', format: 'binary' };
export const number: JsonSchema = { type: 'number' };
export const numberOrNull: JsonSchema = { type: ['number', 'null'] };
export const flag: JsonSchema = { type: 'boolean' };
export const anyObject: JsonSchema = { type: 'object', additionalProperties: true };
export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
export const mapOf = (values: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: values });
export const oneOf = (...values: readonly string[]): JsonSchema => ({ type: 'string', enum: values });
export const orNull = (schema: JsonSchema): JsonSchema => ({ oneOf: [schema, { type: 'null' }] });
export const described = (schema: JsonSchema, description: string): JsonSchema => ({ ...schema, description });

type Members = Readonly<Record<string, JsonSchema>>;

/** All members are required. */
export const resource = (properties: Members): JsonSchema => ({ type: 'object', properties, required: Object.keys(properties) });

/** Members that do not apply are absent. */
export const partial = (properties: Members, required: readonly string[] = []): JsonSchema => ({ type: 'object', properties, required });

/** A schema that the documents show once, under this name: `title` names a component. */
export const named = (title: string, schema: JsonSchema): JsonSchema => ({ title, ...schema });

/** The name that the documents show a schema under. */
export const nameOf = ({ title }: JsonSchema): string => {
  if (typeof title !== 'string') throw new Error('a schema without a name');
  return title;
};
