import type { JsonSchema, Schema, Shape } from '../../json.ts';
import * as s from '../../schema.ts';
import { personal, personalOfOldEvents } from '../eventForms.ts';
import { MESSAGE_SCHEMAS } from '../stream/messages.ts';
import { operationType, type Quantities } from '../stream/streamConfiguration.ts';
import type { ProcessorDeclaration } from '../templates/template.ts';

/** Whether a declaration id names a declared processor, with or without its version. */
export const isDeclared = (declarationId: string): boolean => /^[0-9a-f]{24}(@\d+)?$/.test(declarationId);

/** Input or output of a processor: `bytes`, `string`, the name of a built-in message, or a JSON Schema of its messages. */
export type PayloadSchema = string | JsonSchema;

const quantity: Schema<keyof Quantities> = { type: 'string' };
/** `rate`: credits per unit of the quantity (a byte, a millisecond, a token), decimal text. */
const price = s.object({ quantity, rate: s.text });
export type DeclaredPrice = Shape<typeof price>;

const limits = s.object({
  /** Tries of one run. */
  attempts: s.ordinal,
  /** Time limit of one attempt. */
  timeoutMs: s.ordinal,
  maxOutputBytes: s.ordinal,
  /** Concurrent runs on one node. */
  concurrency: s.ordinal,
});
export type DeclarationLimits = Shape<typeof limits>;

const payloadSchema: Schema<PayloadSchema> = { type: ['string', 'object'] };
const propertiesJsonSchema: Schema<JsonSchema> = { type: 'object' };

export const httpDeclaration = s.object({
  id: s.id,
  version: s.ordinal,
  name: personalOfOldEvents(s.text),
  description: personal(s.nullable(s.text)),
  /** `null` once its owner has been erased. */
  url: personal(s.nullable(s.text)),
  mode: s.oneOf('batch', 'live'),
  inputSchema: payloadSchema,
  outputSchema: payloadSchema,
  propertiesJsonSchema,
  defaultProperties: personalOfOldEvents(s.anyObject),
  patchAliases: s.map(s.text),
  operationType,
  price: s.list(price),
  limits,
});
/** One version of a user's own processor. It never changes once it exists. */
export type HttpDeclaration = Shape<typeof httpDeclaration>;
/** The settings of a user's own processor. */
export type DeclarationContent = Omit<HttpDeclaration, 'id' | 'version'>;

export const DEFAULT_LIMITS: DeclarationLimits = { attempts: 3, timeoutMs: 600_000, maxOutputBytes: 67_108_864, concurrency: 4 };

/** Identifies a version in a chain and in requests: streams keep the version that they started with. */
export const versionName = ({ id, version }: Pick<HttpDeclaration, 'id' | 'version'>): string => `${id}@${version}`;

/** `null` for a name that does not identify a version. */
export const parseVersionName = (name: string): { id: string; version: number } | null => {
  const [, id, version] = /^([0-9a-f]{24})@(\d{1,9})$/.exec(name) ?? [];
  return id === undefined ? null : { id, version: Number(version) };
};

const PREFIX = 'tributary.processors.';

/** The schema name of its messages. */
export const outputName = ({ id, version, outputSchema }: HttpDeclaration): string =>
  typeof outputSchema === 'string' ? outputSchema : `${PREFIX}${id}.v${version}`;

const inputName = ({ id, version, inputSchema }: HttpDeclaration): string =>
  typeof inputSchema === 'string' ? inputSchema : `${PREFIX}${id}.v${version}.input`;

/** Whether a stage of a stream is a user's own processor. */
export const isOwn = ({ propertiesSchema }: { readonly propertiesSchema: string }): boolean => propertiesSchema.startsWith(PREFIX);

/** Whether a stage accepts the output of the stage before it. An input given by a JSON Schema accepts any messages; each is checked at run time. */
export const fitsInput = (inputSchemas: readonly string[], given: string): boolean => {
  if (inputSchemas.includes(given)) return true;
  const takesMessages = inputSchemas.some((name) => name.startsWith(PREFIX) && name.endsWith('.input'));
  return takesMessages && given !== MESSAGE_SCHEMAS.bytes && given !== MESSAGE_SCHEMAS.string;
};

/** The members that a template keeps of a declaration. */
export const asProcessorDeclaration = (declaration: HttpDeclaration): ProcessorDeclaration => ({
  id: declaration.id,
  displayName: declaration.name ?? '',
  description: declaration.description ?? '',
  clusterDomainNameTemplate: null,
  podsDiscoveryClusterDomainName: null,
  revision: String(declaration.version),
  propertiesSchema: `${PREFIX}${declaration.id}.v${declaration.version}.properties`,
  propertiesJsonSchema: declaration.propertiesJsonSchema,
  inputSchemas: [inputName(declaration)],
  outputSchema: outputName(declaration),
  features: { support: [], require: [], implement: [], requireSupport: [] },
  operationType: declaration.operationType,
});
