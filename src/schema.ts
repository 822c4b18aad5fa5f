import type { JsonObject, JsonSchema, Schema, Shape } from './json.ts';

/**
 * Options of a validator for schemas of the program. Tests check that these are valid JSON Schemas: to check it at run time, a validator would first
 * compile the schema of schemas, which takes 30 ms. Ajv's optimizer is off: it takes two fifths of the compile time.
 */
export const OWN_SCHEMAS = { meta: false, validateSchema: false, code: { optimize: false } } as const;

/**
 * The words in which the JSON Schemas of events and of the public interface are written. Import them as `s`: `s.list(s.text)`. Each carries its type,
 * which `Shape` reads.
 */

export const text: Schema<string> = { type: 'string' };
export const id: Schema<string> = { type: 'string', minLength: 1 };
/** Text of 1 to `characters` characters. */
export const textUpTo = (characters: number): Schema<string> => ({ type: 'string', minLength: 1, maxLength: characters });
export const uuid: Schema<string> = { type: 'string', format: 'uuid' };
export const time: Schema<string> = { type: 'string', format: 'date-time' };
/** Hexadecimal. */
export const sha256: Schema<string> = { type: 'string', pattern: '^[0-9a-f]{64}$' };
/** Raw bytes. */
export const binary: Schema<string> = { type: 'string', format: 'binary' };
export const flag: Schema<boolean> = { type: 'boolean' };
export const number: Schema<number> = { type: 'number' };
export const integer: Schema<number> = { type: 'integer' };
export const count: Schema<number> = { type: 'integer', minimum: 0 };
/** Counts from 1. */
export const ordinal: Schema<number> = { type: 'integer', minimum: 1 };
/** A count that always fits into 32 bits. All other integers are documented as int64. */
export const small: Schema<number> = { type: 'integer', format: 'int32', minimum: 0 };
export const anyObject: Schema<JsonObject> = { type: 'object', additionalProperties: true };

export const oneOf = <const V extends string>(...values: readonly V[]): Schema<V> => ({ type: 'string', enum: values });
export const list = <S>(items: S): Schema<Shape<S>[]> => ({ type: 'array', items });
export const map = <S>(values: S): Schema<Record<string, Shape<S>>> => ({ type: 'object', additionalProperties: values });

/** The value or `null`. A named schema stays a component of its own. */
export const nullable = <S extends JsonSchema>(schema: S): Schema<Shape<S> | null> => {
  if (schema.title !== undefined) return { oneOf: [schema, { type: 'null' }] };
  const { type, enum: values } = schema;
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) } as Schema<Shape<S> | null>;
};

type Members = Readonly<Record<string, JsonSchema>>;
type Whole<M extends Members> = { -readonly [K in keyof M]: Shape<M[K]> };

/** An object with exactly these members, and the optional ones: for events. */
export const object = <M extends Members, O extends Members = Record<never, never>>(
  members: M,
  optional?: O,
): Schema<Whole<M> & { -readonly [K in keyof O]?: Shape<O[K]> }> => ({
  type: 'object',
  properties: { ...members, ...optional },
  required: Object.keys(members),
  additionalProperties: false,
});

/** An object with at least these members, for answers: later versions may add others. */
export const resource = <M extends Members>(properties: M): Schema<Whole<M>> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

/** An answer with the members of a part of an event, as they are stored. */
export const answered = <T>(part: Schema<T>): Schema<T> => {
  const { additionalProperties: _, ...schema } = part;
  return schema;
};

/** An object whose members are absent if they do not apply, unless they are `required`. */
export const partial = <const M extends Members, const R extends keyof M = never>(
  properties: M,
  required: readonly R[] = [],
): Schema<Whole<Pick<M, R>> & { -readonly [K in Exclude<keyof M, R>]?: Shape<M[K]> }> => ({ type: 'object', properties, required });

export const described = <S extends JsonSchema>(schema: S, description: string): S => ({ ...schema, description });

/** A schema that the API documents show once, under this name: `title` names a component. */
export const named = <S extends JsonSchema>(title: string, schema: S): S => ({ title, ...schema });

/** The name that the documents show a schema under. */
export const nameOf = ({ title }: JsonSchema): string => {
  if (typeof title !== 'string') throw new Error('a schema without a name');
  return title;
};
