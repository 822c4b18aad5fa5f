import { isJsonObject, type Json, type JsonObject, type JsonSchema, jsonObjectIn } from '../../json.ts';
import { Problem } from '../problem.ts';
import { JSON_SCHEMA_TEXT } from './declarations.ts';
import type { TemplateProcessor } from './template.ts';

/** A caller's JSON Schema in the properties of a processor. */
export interface ResponseFormat {
  readonly processorId: string;
  /** JSON Pointer below the processor's properties. */
  readonly pointer: string;
  readonly schema: JsonObject;
}

const MAX_FORMATS = 20;

/** Finds every text in the properties that the declared schema requires to be a JSON Schema. */
const formatsIn = (value: Json | undefined, schema: JsonSchema, pointer: string): { pointer: string; schema: JsonObject }[] => {
  if (typeof value === 'string') {
    const found = schema.contentMediaType === JSON_SCHEMA_TEXT ? jsonObjectIn(value) : null;
    return found ? [{ pointer, schema: found }] : [];
  }
  const { properties } = schema;
  if (!isJsonObject(value) || !isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, below]) =>
    Object.hasOwn(value, name) && isJsonObject(below) ? formatsIn(value[name], below, `${pointer}/${name}`) : [],
  );
};

/** Throws STREAM_CONFIGURATION_BAD_TEMPLATE for more than 20. */
export const responseFormatsOf = (processors: readonly TemplateProcessor[]): ResponseFormat[] => {
  const formats = processors.flatMap(({ id, properties, processorDeclaration }) =>
    formatsIn(properties, processorDeclaration.propertiesJsonSchema, '').map((format) => ({ processorId: id, ...format })),
  );
  if (formats.length <= MAX_FORMATS) return formats;
  throw new Problem(
    'STREAM_CONFIGURATION_BAD_TEMPLATE',
    `The template has ${formats.length} response formats; at most ${MAX_FORMATS} are allowed.`,
  );
};
