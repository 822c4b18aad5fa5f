/** A JSON value. Everything that crosses a port is one. */
export type Json = string | number | boolean | null | Json[] | { [member: string]: Json };
export type JsonObject = { [member: string]: Json };

declare const shape: unique symbol;

/** JSON Schema (draft 2020-12) of values of type `T`, which exists for the compiler only. `personal: true` marks a member that is stored encrypted. */
export interface Schema<T = unknown> {
  readonly [keyword: string]: unknown;
  readonly [shape]?: T;
}

export type JsonSchema = Schema;

/** Type of the values of a schema: of a `Schema<T>`, or of a literal `as const`. */
export type Shape<S> = S extends Schema<infer T> ? (unknown extends T ? Described<S> : T) : never;

type Described<S> = S extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : S extends { readonly type: readonly (infer Name)[] }
    ? OfType<Name, S>
    : S extends { readonly type: infer Name }
      ? OfType<Name, S>
      : Json;

type OfType<Name, S> = Name extends 'string'
  ? string
  : Name extends 'integer' | 'number'
    ? number
    : Name extends 'boolean'
      ? boolean
      : Name extends 'null'
        ? null
        : Name extends 'array'
          ? S extends { readonly items: infer Items }
            ? Shape<Items>[]
            : Json[]
          : Name extends 'object'
            ? ObjectOf<S>
            : Json;

type ObjectOf<S> = S extends { readonly properties: infer Members }
  ? { [K in keyof Members as K extends RequiredOf<S> ? K : never]: Shape<Members[K]> } & {
      [K in keyof Members as K extends RequiredOf<S> ? never : K]?: Shape<Members[K]>;
    }
  : S extends { readonly additionalProperties: infer Values extends object }
    ? Record<string, Shape<Values>>
    : JsonObject;

type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

export const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** An own member of an object; `undefined` for any other value. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;

/** The value of JSON text. Throws the error that `refusal` makes for other text. */
export const jsonOrThrow = (text: string, refusal: () => Error): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal();
  }
};

/** The JSON object that a text holds; `null` for any other text. */
export const jsonObjectIn = (text: string): JsonObject | null => {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
};

/** Most levels of a caller's JSON. */
export const MAX_DEPTH = 64;

/** Whether arrays and objects are nested deeper than `levels`. Looks no deeper than that. */
export const isDeeperThan = (value: Json, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
};

/** Reads a boolean from text, as programs in any language write it: `true`, `True` or `1`. `null` for other text. */
export const booleanIn = (text: string): boolean | null => {
  if (/^(true|1)$/i.test(text)) return true;
  return /^(false|0)$/i.test(text) ? false : null;
};

/** The value of an enum that the text means, whatever its case; `undefined` if there is none. */
export const enumValueIn = <Value>(text: string, values: readonly Value[]): Value | undefined =>
  values.find((value) => value === text) ?? values.find((value) => typeof value === 'string' && value.toLowerCase() === text.toLowerCase());
