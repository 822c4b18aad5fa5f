import type { JsonObject, JsonSchema, Schema, Shape } from '../../json.ts';

/** The words in which the schemas of the public interface are written. */

export const text: Schema<string> = { type: 'string' };
export const textOrNull: Schema<string | null> = { type: ['string', 'null'] };
export const uuid: Schema<string> = { type: 'string', format: 'uuid' };
export const uuidOrNull: Schema<string | null> = { type: ['string', 'null'], format: 'uuid' };
export const time: Schema<string> = { type: 'string', format: 'date-time' };
export const timeOrNull: Schema<string | null> = { type: ['string', 'null'], format: 'date-time' };
export const integer: Schema<number> = { type: 'integer' };
export const integerOrNull: Schema<number | null> = { type: ['integer', 'null'] };
export const count: Schema<number> = { type: 'integer', minimum: 0 };
/** A count that always fits into 32 bits. All other integers are documented as int64. */
export const small: Schema<number> = { type: 'integer', format: 'int32', minimum: 0 };
/** Raw bytes. */
export const binary: Schema<string> = { type: 'string', format: 'binary' };
export const number: Schema<number> = { type: 'number' };
export const numberOrNull: Schema<number | null> = { type: ['number', 'null'] };
export const flag: Schema<boolean> = { type: 'boolean' };
export const anyObject: Schema<JsonObject> = { type: 'object', additionalProperties: true };
export const listOf = <S>(items: S): Schema<Shape<S>[]> => ({ type: 'array', items });
export const mapOf = <S>(values: S): Schema<Record<string, Shape<S>>> => ({ type: 'object', additionalProperties: values });
export const oneOf = <const V extends string>(...values: readonly V[]): Schema<V> => ({ type: 'string', enum: values });
export const orNull = <S>(schema: S): Schema<Shape<S> | null> => ({ oneOf: [schema, { type: 'null' }] });
export const described = <S extends JsonSchema>(schema: S, description: string): S => ({ ...schema, description });

type Members = Readonly<Record<string, JsonSchema>>;

/** All members are required. */
export const resource = (properties: Members): JsonSchema => ({ type: 'object', properties, required: Object.keys(properties) });

/** Members that do not apply are absent. */
export const partial = (properties: Members, required: readonly string[] = []): JsonSchema => ({ type: 'object', properties, required });

/** A schema that the documents show once, under this name: `title` names a component. */
export const named = <S extends JsonSchema>(title: string, schema: S): S => ({ title, ...schema });

/** The name that the documents show a schema under. */
export const nameOf = ({ title }: JsonSchema): string => {
  if (typeof title !== 'string') throw new Error('a schema without a name');
  return title;
};
