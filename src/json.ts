/** A JSON value. Everything that crosses a port is one. */
export type Json = string | number | boolean | null | Json[] | { [member: string]: Json };
export type JsonObject = { [member: string]: Json };

declare const shape: unique symbol;

/** JSON Schema (draft 2020-12) of values of type `T`, which exists for the compiler only. `personal: true` marks a member that is stored encrypted. */
export interface Schema<T = unknown> {
  readonly [keyword: string]: unknown;
  readonly [shape]?: T;
}

/** A JSON Schema of anything. */
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
