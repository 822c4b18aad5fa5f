import type { Json, JsonObject, JsonSchema } from '../../json.ts';
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

export const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The JSON object in the text; `null` for blank or other text. */
export const schemaIn = (text: string): JsonObject | null => {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
};

/** Finds every text in the properties that the declared schema requires to be a JSON Schema. */
const formatsIn = (value: Json | undefined, schema: JsonSchema, pointer: string): { pointer: string; schema: JsonObject }[] => {
  if (typeof value === 'string') {
    const found = schema.contentMediaType === JSON_SCHEMA_TEXT ? schemaIn(value) : null;
    return found ? [{ pointer, schema: found }] : [];
  }
  const { properties } = schema;
  if (!isJsonObject(value) || typeof properties !== 'object' || properties === null) return [];
  return Object.entries(properties).flatMap(([name, below]) => {
    const isSchema = (candidate: unknown): candidate is JsonSchema => typeof candidate === 'object' && candidate !== null;
    return Object.hasOwn(value, name) && isSchema(below) ? formatsIn(value[name], below, `${pointer}/${name}`) : [];
  });
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
