/** A JSON value. Everything that crosses a port is one. */
export type Json = string | number | boolean | null | Json[] | { [member: string]: Json };
export type JsonObject = { [member: string]: Json };

/** A JSON Schema (draft 2020-12 as ajv reads it). The keyword `personal: true` marks a member that is stored encrypted. */
export type JsonSchema = { readonly [keyword: string]: unknown };
