import { OPERATION_TYPES } from '../domain/priceList.ts';
import type { JsonSchema } from '../json.ts';

/** What `/openapi.json` says of templates, and what their bodies are checked against. */

const text: JsonSchema = { type: 'string' };
const textOrNull: JsonSchema = { type: ['string', 'null'] };
const flag: JsonSchema = { type: 'boolean' };
const anything: JsonSchema = { type: 'object', additionalProperties: true };
const texts: JsonSchema = { type: 'object', additionalProperties: text };
const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const resource = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

export const DECLARATION_SCHEMA = resource({
  id: text,
  displayName: text,
  description: text,
  clusterDomainNameTemplate: textOrNull,
  podsDiscoveryClusterDomainName: textOrNull,
  revision: text,
  propertiesSchema: { type: 'string', description: 'Fully qualified name of the schema.' },
  propertiesJsonSchema: { type: 'object', additionalProperties: true, description: 'The JSON Schema itself.' },
  inputSchemas: listOf(text),
  outputSchema: text,
  features: resource({ support: listOf(text), require: listOf(text), implement: listOf(text), requireSupport: listOf(text) }),
  operationType: { type: 'string', enum: Object.keys(OPERATION_TYPES) },
});

export const TEMPLATE_SCHEMA = resource({
  id: text,
  name: text,
  description: textOrNull,
  version: { type: 'integer', minimum: 1 },
  dataSourceSchema: text,
  processors: listOf(
    resource({
      id: text,
      name: text,
      description: textOrNull,
      processorDeclaration: DECLARATION_SCHEMA,
      previousProcessorId: textOrNull,
      propertiesSchema: text,
      properties: anything,
      destinationTopicMessageHeaders: anything,
      destinationTopicHeaders: anything,
      sourceSubscriptionHeaders: anything,
      patchAliases: texts,
      egress: resource({ persist: flag, sink: flag, tags: listOf(text) }),
    }),
  ),
  patchAliases: texts,
});

const orNull = (schema: JsonSchema): JsonSchema => ({ ...schema, type: [schema.type, 'null'] });
const bounded = (maxLength: number): JsonSchema => ({ type: ['string', 'null'], maxLength });
const NAME: JsonSchema = { type: 'string', minLength: 1, maxLength: 255 };
const ALIASES: JsonSchema = {
  type: ['object', 'null'],
  additionalProperties: { type: 'string', maxLength: 1_024 },
  maxProperties: 200,
  description: 'Alias to the path that it stands for.',
};
const HEADERS = orNull(anything);

/** At most so many processors. */
const MAX_PROCESSORS = 50;

const PROCESSOR_BODY: JsonSchema = {
  type: 'object',
  required: ['id'],
  properties: {
    id: text,
    name: orNull(NAME),
    description: bounded(4_096),
    processorDeclarationId: { ...textOrNull, description: 'Id of its declaration. Or give `processorDeclaration`, as it was got.' },
    processorDeclaration: { type: ['object', 'null'], properties: { id: textOrNull } },
    previousProcessorId: { ...textOrNull, description: 'The processor that it reads; null or absent reads the data source.' },
    properties: { ...HEADERS, description: "In the form of the declaration's `propertiesJsonSchema`." },
    destinationTopicMessageHeaders: HEADERS,
    destinationTopicHeaders: HEADERS,
    sourceSubscriptionHeaders: HEADERS,
    patchAliases: ALIASES,
    egress: {
      type: ['object', 'null'],
      properties: {
        persist: orNull(flag),
        sink: orNull(flag),
        tags: {
          type: ['array', 'null'],
          items: { type: 'string', maxLength: 255, pattern: '^[a-zA-Z0-9_.-]+$' },
          maxItems: 10,
        },
      },
    },
  },
};

/** Members that only the platform sets (`version`, `propertiesSchema` ...) are ignored. */
export const TEMPLATE_BODY: JsonSchema = {
  type: 'object',
  required: ['name'],
  properties: {
    id: { ...bounded(255), description: 'The template to replace; absent, null or empty creates one.' },
    name: NAME,
    description: bounded(4_096),
    dataSourceSchema: { ...textOrNull, description: '`bytes` (default) or `string`.' },
    processors: { type: ['array', 'null'], items: PROCESSOR_BODY, maxItems: MAX_PROCESSORS },
    patchAliases: ALIASES,
  },
};

export const PATCHES_BODY: JsonSchema = {
  type: 'object',
  required: ['jsonPatches'],
  properties: {
    jsonPatches: {
      type: 'array',
      maxItems: 1_000,
      // Each item is checked by the rules of patches, whose refusal is another.
      items: { description: '{op, path, value}, or text that holds such an object or a list of them.' },
    },
  },
};
