import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isJsonObject, type Json, type JsonObject, type JsonSchema, jsonObjectIn } from '../../json.ts';
import { Problem } from '../problem.ts';
import { declarationOf, JSON_SCHEMA_TEXT } from './declarations.ts';
import type { TemplateProcessor } from './template.ts';

/** Properties and their schema: the value at a path, the meaning of text there, and whether the whole is valid. Schemas are compiled once. */

const ajv = new Ajv2020({ strict: false, allErrors: true });
const coercingAjv = new Ajv2020({ strict: false, coerceTypes: true });
const validators = new WeakMap<JsonSchema, ValidateFunction>();
const coercers = new WeakMap<JsonSchema, ValidateFunction>();

/** Blank text, or a JSON object. `CallerSchemas` checks whether it is a JSON Schema: callers' schemas never run on the event loop. */
const isSchemaText = (text: string): boolean => text.trim() === '' || jsonObjectIn(text) !== null;

// Normally the keyword is only an annotation; here the text must be of this type.
ajv.removeKeyword('contentMediaType');
ajv.addKeyword({
  keyword: 'contentMediaType',
  type: 'string',
  schemaType: 'string',
  validate: (mediaType: string, text: string) => mediaType !== JSON_SCHEMA_TEXT || isSchemaText(text),
  error: { message: 'is not a JSON Schema as text' },
});

/** `whole` is what `schema` is compiled in; by default it is compiled by itself. */
const compile = (cache: WeakMap<JsonSchema, ValidateFunction>, by: Ajv2020, schema: JsonSchema, whole = schema): ValidateFunction => {
  const known = cache.get(schema);
  if (known) return known;
  const validate = by.compile(whole);
  // ajv would keep every schema for ever; those of stored templates come and go.
  by.removeSchema(whole);
  cache.set(schema, validate);
  return validate;
};

const below = (schema: JsonSchema, member: string): JsonSchema | undefined => {
  const { properties, additionalProperties, items } = schema;
  if (isJsonObject(properties) && Object.hasOwn(properties, member)) {
    const found = properties[member];
    return isJsonObject(found) ? found : undefined;
  }
  if (isJsonObject(additionalProperties)) return additionalProperties;
  return isJsonObject(items) && /^(-|\d+)$/.test(member) ? items : undefined;
};

/** The schema of the member at the end of the path; `undefined` if nothing is allowed there. */
export const schemaAt = (schema: JsonSchema, members: readonly string[]): JsonSchema | undefined =>
  members.reduce<JsonSchema | undefined>((at, member) => at && below(at, member), schema);

const coercedText = (text: string, schema: JsonSchema): Json => {
  const types: unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (schema.type === undefined || types.includes('string')) return text;
  const coerce = compile(coercers, coercingAjv, schema, { type: 'object', properties: { value: { type: schema.type } } });
  const holder: JsonObject = { value: text };
  return coerce(holder) ? (holder.value ?? null) : text;
};

/** Text becomes the type that the schema asks for, where it can; all else, and text where text is asked for, stays as it is. */
export const coerceValue = (value: Json, schema: JsonSchema | undefined): Json => {
  if (!schema) return value;
  if (typeof value === 'string') return coercedText(value, schema);
  const { items } = schema;
  if (!Array.isArray(value) || !isJsonObject(items)) return value;
  return value.map((item) => (typeof item === 'string' ? coercedText(item, items) : item));
};

/** An enum's value in the spelling of the schema, whatever its case; other values stay as they are. Includes nested members and items. */
export const inKnownCase = (value: Json, schema: JsonSchema | undefined): Json => {
  if (!schema) return value;
  if (typeof value === 'string') {
    const values: readonly unknown[] = Array.isArray(schema.enum) ? schema.enum : [];
    const same = values.find((one): one is string => typeof one === 'string' && one.toLowerCase() === value.toLowerCase());
    return values.includes(value) ? value : (same ?? value);
  }
  if (Array.isArray(value)) return value.map((item) => inKnownCase(item, isJsonObject(schema.items) ? schema.items : undefined));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inKnownCase(member, below(schema, name))]));
};

const MAX_NESTED = 20;

/** Throws PROCESSOR_PROPERTIES_VALIDATION_ERROR, with one nested error per member, if the properties do not match the declaration's schema. */
export const checkProperties = (processor: TemplateProcessor): void => {
  const { id, propertiesJsonSchema: schema } = processor.processorDeclaration;
  // A caller's schema never runs on the event loop: `checkCallerSchemas` checks these properties.
  if (!declarationOf(id)) return;
  const validate = compile(validators, ajv, schema);
  if (validate(processor.properties)) return;
  const nested = (validate.errors ?? []).slice(0, MAX_NESTED).map(({ instancePath, message, params }) => {
    const unknown: unknown = params.additionalProperty;
    const member = typeof unknown === 'string' ? `${instancePath}/${unknown}` : instancePath;
    const what = typeof unknown === 'string' ? 'is not a property of this processor' : (message ?? 'is not valid');
    return new Problem('PROCESSOR_PROPERTIES_VALIDATION_ERROR', `${processor.id}: ${member || '/'} ${what}`.slice(0, 500));
  });
  throw new Problem('PROCESSOR_PROPERTIES_VALIDATION_ERROR', nested[0]?.message ?? `${processor.id}: bad properties`, { nested });
};
