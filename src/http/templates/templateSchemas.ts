import type { JsonSchema, Schema } from '../../json.ts';
import * as s from '../../schema.ts';
import type { BodyExamples } from '../route/route.ts';
import { EGRESS, OPERATION_TYPE } from '../streams/streamSchemas.ts';

/** Schemas of templates for `/openapi.json` and for checking bodies. */

export const DECLARATION_SCHEMA = s.named(
  'ProcessorDeclaration',
  s.resource({
    id: s.text,
    displayName: s.text,
    description: s.text,
    clusterDomainNameTemplate: s.nullable(s.text),
    podsDiscoveryClusterDomainName: s.nullable(s.text),
    revision: s.text,
    propertiesSchema: s.described(s.text, 'Fully qualified name of the schema.'),
    propertiesJsonSchema: s.described(s.anyObject, 'The JSON Schema itself.'),
    inputSchemas: s.list(s.text),
    outputSchema: s.text,
    features: s.named(
      'ProcessorFeatures',
      s.resource({ support: s.list(s.text), require: s.list(s.text), implement: s.list(s.text), requireSupport: s.list(s.text) }),
    ),
    operationType: OPERATION_TYPE,
  }),
);

const patchAliases = s.described(s.map(s.text), 'Map from alias to path.');

const templateProcessor = s.named(
  'TemplateProcessor',
  s.resource({
    id: s.text,
    name: s.text,
    description: s.nullable(s.text),
    processorDeclaration: DECLARATION_SCHEMA,
    previousProcessorId: s.described(s.nullable(s.text), 'Null if the processor reads the data source.'),
    propertiesSchema: s.text,
    properties: s.anyObject,
    destinationTopicMessageHeaders: s.anyObject,
    destinationTopicHeaders: s.anyObject,
    sourceSubscriptionHeaders: s.anyObject,
    patchAliases,
    egress: EGRESS,
  }),
);

export const TEMPLATE_SCHEMA = s.named(
  'StreamConfigurationTemplate',
  s.resource({
    id: s.text,
    name: s.text,
    description: s.nullable(s.text),
    version: { ...s.small, minimum: 1 },
    origin: s.described(
      s.named('TemplateOrigin', s.oneOf('built-in', 'copy', 'own')),
      "Set by the platform. `copy`: the caller's private overlay of the built-in template of this id.",
    ),
    runnable: s.described(
      s.named(
        'TemplateRunnable',
        s.resource({ ok: s.flag, reason: s.described(s.nullable(s.text), 'What an upload would be refused with. Null when ok.') }),
      ),
      'Set by the platform. Whether this server has an engine for every processor now. Not part of the ETag.',
    ),
    dataSourceSchema: s.text,
    processors: s.list(templateProcessor),
    patchAliases,
  }),
);

const bounded = (maxLength: number) => ({ type: ['string', 'null'], maxLength }) as const;
const NAME = { type: 'string', minLength: 1, maxLength: 255 } as const;
const ALIASES = {
  type: ['object', 'null'],
  additionalProperties: { type: 'string', maxLength: 1_024 },
  maxProperties: 200,
  description: 'Map from alias to path.',
} as const;
const HEADERS = s.nullable(s.anyObject);

/** Most processors of a template. */
const MAX_PROCESSORS = 50;

const PROCESSOR_BODY = {
  title: 'TemplateProcessorDraft',
  type: 'object',
  required: ['id'],
  properties: {
    id: s.text,
    name: s.nullable(NAME),
    description: bounded(4_096),
    processorDeclarationId: {
      ...s.nullable(s.text),
      description: 'Id of its declaration. You can give `processorDeclaration` instead, as GET returned it.',
    },
    processorDeclaration: { type: ['object', 'null'], properties: { id: s.nullable(s.text) } },
    previousProcessorId: {
      ...s.nullable(s.text),
      description: 'Id of the processor whose output it reads. Null or absent: it reads the data source.',
    },
    properties: { ...HEADERS, description: "In the form of the declaration's `propertiesJsonSchema`." },
    destinationTopicMessageHeaders: HEADERS,
    destinationTopicHeaders: HEADERS,
    sourceSubscriptionHeaders: HEADERS,
    patchAliases: ALIASES,
    egress: {
      type: ['object', 'null'],
      properties: {
        persist: s.nullable(s.flag),
        sink: s.nullable(s.flag),
        tags: {
          type: ['array', 'null'],
          items: { type: 'string', maxLength: 255, pattern: '^[a-zA-Z0-9_.-]+$' },
          maxItems: 10,
        },
      },
    },
  },
} as const;

/** Members that only the platform sets (`version`, `propertiesSchema` ...) are ignored. */
export const TEMPLATE_BODY = {
  title: 'TemplateDraft',
  type: 'object',
  required: ['name'],
  properties: {
    id: { ...s.nullable(s.text), description: 'Id of the template to replace. Absent, null or empty creates one.' },
    name: NAME,
    description: bounded(4_096),
    dataSourceSchema: { ...s.nullable(s.text), description: '`bytes` (default) or `string`.' },
    processors: { type: ['array', 'null'], items: PROCESSOR_BODY, maxItems: MAX_PROCESSORS },
    patchAliases: ALIASES,
  },
} as const;

const patchOperation = s.named('PatchOperation', {
  type: 'object',
  required: ['op', 'path'],
  properties: {
    op: s.named('PatchOperator', s.oneOf('add', 'replace', 'remove')),
    path: s.described(s.text, '`/processors/llm/properties/summary/enabled`, the same with dots, or an alias.'),
    value: { description: 'Text, a number, a boolean, null, or a list of these.', examples: ['detailed', 0.5, true, null, ['en', 'ro']] },
  },
});

const patchesOf = (items: JsonSchema): Schema<{ jsonPatches: unknown[] }> => ({
  type: 'object',
  required: ['jsonPatches'],
  properties: { jsonPatches: { type: 'array', maxItems: 1_000, items } },
});

/** `PATCHES_BODY` in the document. */
export const DOCUMENTED_PATCHES = s.named('TemplatePatches', patchesOf(patchOperation));

export const PATCH_EXAMPLES: BodyExamples = {
  summary: {
    summary: 'Detailed summaries from now on',
    value: {
      jsonPatches: [
        { op: 'replace', path: 'summary', value: true },
        { op: 'replace', path: 'summaryLength', value: 'detailed' },
      ],
    },
  },
};

export const TEMPLATE_EXAMPLES: BodyExamples = {
  echo: {
    summary: 'A chain of one processor',
    value: { name: 'My echo', processors: [{ id: 'echo', processorDeclarationId: 'echo' }] },
  },
};

/** The rules of patches check each item, with a refusal of their own. */
export const PATCHES_BODY = patchesOf({ description: '{op, path, value}, or JSON text with one such object or a list of them.' });
