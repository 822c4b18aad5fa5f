import type { DeclaredPrice, PayloadSchema } from '../../domain/processorDeclarations/declaration.ts';
import { MESSAGE_SCHEMAS } from '../../domain/stream/messages.ts';
import { OPERATION_TYPES, type OperationType } from '../../domain/stream/streamConfiguration.ts';
import { QUANTITY_KINDS } from '../../domain/usage/pricing.ts';
import type { JsonSchema, Schema } from '../../json.ts';
import * as s from '../../schema.ts';
import type { BodyExamples } from '../route/route.ts';
import { DECLARATION_SCHEMA } from '../templates/templateSchemas.ts';

const PAYLOAD: Schema<PayloadSchema> = {
  oneOf: [
    { type: 'string', maxLength: 255 },
    { type: 'object', additionalProperties: true },
  ],
  description: '`bytes`, `string`, the name of a built-in message, or a JSON Schema of the messages (then the messages travel as NDJSON).',
};
const bounded = (minimum: number, maximum: number, description: string): Schema<number> => ({
  type: 'integer',
  minimum,
  maximum,
  description,
});

const LIMITS = {
  attempts: bounded(1, 20, 'Tries of one run. Default: 3.'),
  timeoutMs: bounded(
    100,
    86_400_000,
    'Milliseconds of one try, polling included. In live mode it counts from the end of the input. Default: 600,000.',
  ),
  maxOutputBytes: bounded(1, 1_073_741_824, 'Bytes of output. Default: 64 MiB.'),
  concurrency: bounded(1, 64, 'Runs at once on each node. Default: 4.'),
};

const PRICE: Schema<DeclaredPrice> = {
  type: 'object',
  required: ['quantity', 'rate'],
  additionalProperties: false,
  properties: {
    quantity: { type: 'string', enum: Object.keys(QUANTITY_KINDS) },
    rate: { type: 'string', pattern: '^\\d{1,15}(\\.\\d{1,20})?$', description: 'Credits for one unit of the quantity, decimal text.' },
  },
};

const DECLARED_OPERATION: Schema<OperationType | null> = { type: ['string', 'null'], enum: [...OPERATION_TYPES, null] };

/** Members that only the platform sets are ignored, so that GET's answer can be sent back. */
export const DECLARATION_BODY = {
  title: 'OwnProcessorDraft',
  type: 'object',
  required: ['name', 'url', 'mode', 'inputSchema', 'outputSchema'],
  properties: {
    id: { type: ['string', 'null'], description: 'The declaration to give a new version; absent creates one.' },
    name: { type: 'string', minLength: 1, maxLength: 255 },
    description: { type: ['string', 'null'], maxLength: 4_096 },
    url: { type: 'string', maxLength: 2_048 },
    mode: { type: 'string', enum: ['batch', 'live'] },
    inputSchema: PAYLOAD,
    outputSchema: PAYLOAD,
    propertiesJsonSchema: { type: 'object', additionalProperties: true },
    defaultProperties: { type: ['object', 'null'], additionalProperties: true },
    patchAliases: { type: ['object', 'null'], additionalProperties: { type: 'string', maxLength: 1_024 }, maxProperties: 200 },
    operationType: DECLARED_OPERATION,
    price: { type: ['array', 'null'], items: PRICE, maxItems: 20 },
    limits: { type: ['object', 'null'], properties: LIMITS },
  },
} as const;

/** A pattern, not a list: generated clients keep their type. */
const DOCUMENTED_PAYLOAD: JsonSchema = {
  ...PAYLOAD,
  oneOf: [
    { type: 'string', pattern: `^(${Object.values(MESSAGE_SCHEMAS).join('|').replaceAll('.', '\\.')})$` },
    { type: 'object', additionalProperties: true },
  ],
};

/** Documents the names of messages. `declarationContent` checks them, so that an unknown name has its own error. */
export const DOCUMENTED_DECLARATION: JsonSchema = {
  ...DECLARATION_BODY,
  properties: { ...DECLARATION_BODY.properties, inputSchema: DOCUMENTED_PAYLOAD, outputSchema: DOCUMENTED_PAYLOAD },
};

export const DECLARATION_EXAMPLES: BodyExamples = {
  redact: {
    summary: 'A processor of text',
    value: {
      name: 'Redact e-mail addresses',
      url: 'https://example.org/redact',
      mode: 'batch',
      inputSchema: 'string',
      outputSchema: 'string',
      propertiesJsonSchema: { type: 'object', additionalProperties: false, properties: { replacement: { type: 'string' } } },
    },
  },
};

export const TEST_EXAMPLES: BodyExamples = {
  text: { summary: 'A text as input', value: { input: 'Write to ana@example.org.', properties: { replacement: '[removed]' } } },
};

const OWN_MEMBERS = {
  name: s.text,
  url: s.described(s.nullable(s.text), 'Shown to its owner and to administrators only.'),
  mode: s.oneOf('batch', 'live'),
  inputSchema: PAYLOAD,
  outputSchema: PAYLOAD,
  version: { type: 'integer', minimum: 1 },
  defaultProperties: s.anyObject,
  patchAliases: s.map(s.text),
  price: s.list(PRICE),
  limits: { type: 'object', properties: LIMITS, required: Object.keys(LIMITS) },
};

const ORIGIN = { origin: s.oneOf('built-in', 'own', 'shared') };
const members = (schema: JsonSchema): Record<string, JsonSchema> => schema.properties as Record<string, JsonSchema>;

/** A built-in declaration or a user's own one. The latter has more members. */
export const LISTED_DECLARATION = s.named('ListedProcessorDeclaration', {
  type: 'object',
  properties: { ...members(DECLARATION_SCHEMA), ...OWN_MEMBERS, ...ORIGIN },
  required: [...Object.keys(members(DECLARATION_SCHEMA)), 'origin'],
});

export const OWN_DECLARATION = s.named('OwnProcessorDeclaration', {
  type: 'object',
  properties: {
    ...members(DECLARATION_SCHEMA),
    ...OWN_MEMBERS,
    ...ORIGIN,
    secret: s.described(s.text, 'Signs every request (`whsec_...`). Shown once, when the processor is declared.'),
  },
  required: Object.keys({ ...members(DECLARATION_SCHEMA), ...OWN_MEMBERS, ...ORIGIN }),
});

export const SECRET_ROTATED = s.named(
  'ProcessorSecretRotated',
  s.resource({ secret: s.text, previousValidUntil: { type: 'string', format: 'date-time' } }),
);

export const TEST_BODY = {
  title: 'ProcessorTest',
  type: 'object',
  required: ['input'],
  additionalProperties: false,
  properties: {
    properties: { type: ['object', 'null'], additionalProperties: true },
    input: {
      type: ['string', 'array'],
      items: {},
      description: 'Text for `string`, base64 for `bytes`, a list of payloads for messages. At most 64 KiB.',
    },
  },
} as const;

const request = s.named(
  'ProcessorRequest',
  s.resource({ method: s.text, status: { type: ['integer', 'null'] }, durationMs: { type: 'integer' } }),
);

export const TEST_ANSWER = s.named('ProcessorTestResult', {
  type: 'object',
  required: ['durationMs', 'requests'],
  properties: {
    output: { type: ['string', 'array'], items: {}, description: 'As `input`. Absent when the run failed.' },
    error: s.named('ProcessorTestError', s.resource({ name: s.text, message: s.text })),
    durationMs: { type: 'integer' },
    requests: s.list(request),
  },
});
