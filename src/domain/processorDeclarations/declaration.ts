import type { JsonObject, JsonSchema } from '../../json.ts';
import { MESSAGE_SCHEMAS } from '../stream/messages.ts';
import type { OperationType, Quantities } from '../stream/streamConfiguration.ts';
import type { ProcessorDeclaration } from '../templates/template.ts';

/** What a processor takes or gives: `bytes`, `string`, the name of a built-in message, or a JSON Schema of its messages. */
export type PayloadSchema = string | JsonSchema;

/** `rate`: credits for one unit of the quantity (a byte, a millisecond, a token), decimal text. */
export interface DeclaredPrice {
  quantity: keyof Quantities;
  rate: string;
}

export interface DeclarationLimits {
  /** Of one run. */
  attempts: number;
  /** Of one attempt. */
  timeoutMs: number;
  maxOutputBytes: number;
  /** Runs at once on one node. */
  concurrency: number;
}

/** What a user decides of a processor of their own. */
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

/** Names a version in a chain and in requests: streams keep the version that they started with. */
export const versionName = ({ id, version }: Pick<HttpDeclaration, 'id' | 'version'>): string => `${id}@${version}`;

/** `null` for a name that is not one of a version. */
export const parseVersionName = (name: string): { id: string; version: number } | null => {
  const [, id, version] = /^([0-9a-f]{24})@(\d{1,9})$/.exec(name) ?? [];
  return id === undefined ? null : { id, version: Number(version) };
};

const PREFIX = 'tributary.processors.';

/** The name under which its messages travel. */
export const outputName = ({ id, version, outputSchema }: HttpDeclaration): string =>
  typeof outputSchema === 'string' ? outputSchema : `${PREFIX}${id}.v${version}`;

const inputName = ({ id, version, inputSchema }: HttpDeclaration): string =>
  typeof inputSchema === 'string' ? inputSchema : `${PREFIX}${id}.v${version}.input`;

/** Whether a stage takes what the stage before it gives. An input given by a JSON Schema takes any messages; each is checked as it passes. */
export const fitsInput = (inputSchemas: readonly string[], given: string): boolean => {
  if (inputSchemas.includes(given)) return true;
  const takesMessages = inputSchemas.some((name) => name.startsWith(PREFIX) && name.endsWith('.input'));
  return takesMessages && given !== MESSAGE_SCHEMAS.bytes && given !== MESSAGE_SCHEMAS.string;
};

/** The members that every declaration has: what a template keeps of it. */
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
