import type { JsonObject, JsonSchema } from '../../json.ts';
import { MESSAGE_SCHEMAS } from '../stream/messages.ts';
import type { OperationType, Quantities } from '../stream/streamConfiguration.ts';
import type { ProcessorDeclaration } from '../templates/template.ts';

/** Input or output of a processor: `bytes`, `string`, the name of a built-in message, or a JSON Schema of its messages. */
export type PayloadSchema = string | JsonSchema;

/** `rate`: credits per unit of the quantity (a byte, a millisecond, a token), decimal text. */
export interface DeclaredPrice {
  quantity: keyof Quantities;
  rate: string;
}

export interface DeclarationLimits {
  /** Time limit of one run. */
  attempts: number;
  /** Time limit of one attempt. */
  timeoutMs: number;
  maxOutputBytes: number;
  /** Concurrent runs on one node. */
  concurrency: number;
}

/** The settings of a user's own processor. */
export interface DeclarationContent {
  name: string;
  description: string | null;
  /** `null` once its owner has been erased. */
  url: string | null;
  mode: 'batch' | 'live';
  inputSchema: PayloadSchema;
  outputSchema: PayloadSchema;
  propertiesJsonSchema: JsonSchema;
  defaultProperties: JsonObject;
  patchAliases: Record<string, string>;
  operationType: OperationType;
  price: DeclaredPrice[];
  limits: DeclarationLimits;
}

/** One version of a user's own processor. It never changes once it exists. */
export interface HttpDeclaration extends DeclarationContent {
  id: string;
  version: number;
}

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
