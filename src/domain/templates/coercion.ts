import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { booleanIn, isJsonObject, type Json, type JsonObject, type JsonSchema, jsonObjectIn } from '../../json.ts';
import { OWN_SCHEMAS } from '../../schema.ts';
import { Problem } from '../problem.ts';
import { declarationOf, JSON_SCHEMA_TEXT } from './declarations.ts';
import type { TemplateProcessor } from './template.ts';

/** Properties and their schema: the value at a path, the meaning of text there, and whether the whole is valid. Schemas are compiled once. */

const ajv = new Ajv2020({ ...OWN_SCHEMAS, strict: false, allErrors: true });
const coercingAjv = new Ajv2020({ ...OWN_SCHEMAS, strict: false, coerceTypes: true });
const validators = new WeakMap<JsonSchema, ValidateFunction>();
/** By their types in alphabetical order: there are few, however many schemas callers write. */
const coercers = new Map<string, ValidateFunction>();

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

interface Compiled<Key> {
  get(key: Key): ValidateFunction | undefined;
  set(key: Key, validate: ValidateFunction): unknown;
}

const compile = <Key>(cache: Compiled<Key>, key: Key, by: Ajv2020, schema: JsonSchema): ValidateFunction => {
  const known = cache.get(key);
  if (known) return known;
  const validate = by.compile(schema);
  // ajv would keep every schema for ever; those of stored templates come and go.
  by.removeSchema(schema);
  cache.set(key, validate);
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
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => typeof type === 'string').sort();
  if (types.length === 0 || types.includes('string')) return text;
  const flag = types.includes('boolean') && !types.includes('integer') && !types.includes('number') ? booleanIn(text) : null;
  if (flag !== null) return flag;
  const coerce = compile(coercers, types.join(), coercingAjv, { type: 'object', properties: { value: { type: types } } });
  const holder: JsonObject = { value: text };
  return coerce(holder) ? (holder.value ?? null) : text;
};

/** Whether the schema takes a list, and no text. */
const isList = ({ type }: JsonSchema): boolean =>
  type === 'array' || (Array.isArray(type) && type.includes('array') && !type.includes('string'));

/** A list as text. Commas separate its items, unless the items are free text. */
const listIn = (text: string, { items }: JsonSchema): Json[] => {
  const item = isJsonObject(items) ? items : {};
  const isFreeText = item.type === 'string' && item.enum === undefined;
  const texts = isFreeText ? [text] : text.split(',').map((one) => one.trim());
  return texts.filter((one) => one !== '').map((one) => coercedText(one, item));
};

/** Text becomes the type that the schema asks for, where it can; all else, and text where text is asked for, stays as it is. */
export const coerceValue = (value: Json, schema: JsonSchema | undefined): Json => {
  if (!schema) return value;
  const { items } = schema;
  if (typeof value === 'string') return isList(schema) ? listIn(value, schema) : coercedText(value, schema);
  if (!Array.isArray(value) || !isJsonObject(items)) return value;
  return value.map((item) => (typeof item === 'string' ? coercedText(item, items) : item));
};

/** The texts of an enum, and the first spelling of each by its lower case. */
interface Spellings {
  readonly exact: ReadonlySet<string>;
  readonly byCase: ReadonlyMap<string, string>;
}

const spellingsOf = (values: readonly unknown[]): Spellings => {
  const exact = new Set(values.filter((value) => typeof value === 'string'));
  const byCase = new Map<string, string>();
  for (const text of exact) if (!byCase.has(text.toLowerCase())) byCase.set(text.toLowerCase(), text);
  return { exact, byCase };
};

type KnownCase = (value: Json, schema: JsonSchema | undefined) => Json;

/**
 * Gives an enum's value the spelling of the schema, whatever its case; other values stay as they are. Includes nested members and items. Make one for each
 * request: it remembers the enums that it has seen, which callers may make long.
 */
export const knownCase = (): KnownCase => {
  const seen = new Map<readonly unknown[], Spellings>();
  const textIn = (text: string, values: readonly unknown[]): string => {
    const spellings = seen.get(values) ?? spellingsOf(values);
    seen.set(values, spellings);
    return spellings.exact.has(text) ? text : (spellings.byCase.get(text.toLowerCase()) ?? text);
  };
  const inKnownCase: KnownCase = (value, schema) => {
    if (!schema) return value;
    if (typeof value === 'string') return Array.isArray(schema.enum) ? textIn(value, schema.enum) : value;
    if (Array.isArray(value)) return value.map((item) => inKnownCase(item, isJsonObject(schema.items) ? schema.items : undefined));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inKnownCase(member, below(schema, name))]));
  };
  return inKnownCase;
};

const MAX_NESTED = 20;

/** Throws PROCESSOR_PROPERTIES_VALIDATION_ERROR, with one nested error per member, if the properties do not match the declaration's schema. */
export const checkProperties = (processor: TemplateProcessor): void => {
  const { id, propertiesJsonSchema: schema } = processor.processorDeclaration;
  // A caller's schema never runs on the event loop: `checkResponseFormats` checks these properties.
  if (!declarationOf(id)) return;
  const validate = compile(validators, schema, ajv, schema);
  if (validate(processor.properties)) return;
  const nested = (validate.errors ?? []).slice(0, MAX_NESTED).map(({ instancePath, message, params }) => {
    const unknown: unknown = params.additionalProperty;
    const member = typeof unknown === 'string' ? `${instancePath}/${unknown}` : instancePath;
    const what = typeof unknown === 'string' ? 'is not a property of this processor' : (message ?? 'is not valid');
    return new Problem('PROCESSOR_PROPERTIES_VALIDATION_ERROR', `${processor.id}: ${member || '/'} ${what}`.slice(0, 500));
  });
  throw new Problem('PROCESSOR_PROPERTIES_VALIDATION_ERROR', nested[0]?.message ?? `${processor.id}: bad properties`, { nested });
};
