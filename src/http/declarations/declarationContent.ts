import { Problem } from '../../domain/problem.ts';
import {
  DEFAULT_LIMITS,
  type DeclarationContent,
  type DeclarationLimits,
  type PayloadSchema,
} from '../../domain/processorDeclarations/declaration.ts';
import { MESSAGE_SCHEMAS } from '../../domain/stream/messages.ts';
import type { Json, JsonObject, Shape } from '../../json.ts';
import type { CallerSchemas } from '../../processors/schemas/callerSchemas.ts';
import type { DECLARATION_BODY } from './declarationSchemas.ts';

export type DeclarationDraft = Shape<typeof DECLARATION_BODY>;

export interface ContentDeps {
  readonly schemas: CallerSchemas;
  /** The URL's `href`; `null` if the address guard refuses it. */
  readonly judge: (url: string) => Promise<string | null>;
}

const MAX_SCHEMA_BYTES = 65_536;
const KNOWN: readonly string[] = Object.values(MESSAGE_SCHEMAS);

const refused = (message: string): Problem => new Problem('STREAM_CONFIGURATION_BAD_TEMPLATE', message);

/** The declaration in a draft, with defaults. Rejects with 400 for an invalid URL, schema or properties. */
export const declarationContent = async (deps: ContentDeps, draft: DeclarationDraft, owner: string): Promise<DeclarationContent> => {
  const href = await deps.judge(draft.url);
  if (href === null)
    throw refused(
      `url ${JSON.stringify(draft.url.slice(0, 200))} is not allowed. It must use http or https and a public address. For a local or private address, start the server with WEBHOOK_ALLOW_CIDRS set to its range, such as 127.0.0.0/8.`,
    );
  const propertiesJsonSchema = draft.propertiesJsonSchema ?? { type: 'object', additionalProperties: false, properties: {} };
  await checkPayload(deps.schemas, 'inputSchema', draft.inputSchema, owner);
  await checkPayload(deps.schemas, 'outputSchema', draft.outputSchema, owner);
  await checkSchema(deps.schemas, 'propertiesJsonSchema', propertiesJsonSchema, owner);
  const defaultProperties = draft.defaultProperties ?? {};
  await checkDefaults(deps.schemas, propertiesJsonSchema, defaultProperties, owner);
  const { name, mode, inputSchema, outputSchema } = draft;
  return {
    ...{
      name,
      description: draft.description ?? null,
      url: href,
      mode,
      inputSchema,
      outputSchema,
      propertiesJsonSchema,
      defaultProperties,
    },
    patchAliases: draft.patchAliases ?? {},
    operationType: draft.operationType ?? 'NO_OPERATION',
    price: draft.price ?? [],
    limits: limitsOf(draft.limits ?? {}),
  };
};

const limitsOf = ({ attempts, timeoutMs, maxOutputBytes, concurrency }: Partial<DeclarationLimits>): DeclarationLimits => ({
  attempts: attempts ?? DEFAULT_LIMITS.attempts,
  timeoutMs: timeoutMs ?? DEFAULT_LIMITS.timeoutMs,
  maxOutputBytes: maxOutputBytes ?? DEFAULT_LIMITS.maxOutputBytes,
  concurrency: concurrency ?? DEFAULT_LIMITS.concurrency,
});

const checkPayload = async (schemas: CallerSchemas, member: string, schema: PayloadSchema, owner: string): Promise<void> => {
  if (typeof schema !== 'string') return checkSchema(schemas, member, schema as JsonObject, owner);
  if (!KNOWN.includes(schema))
    throw refused(`${member} ${JSON.stringify(schema.slice(0, 100))} is not known. Use ${KNOWN.join(', ')} or a JSON Schema.`);
};

const checkSchema = async (schemas: CallerSchemas, member: string, schema: Json, owner: string): Promise<void> => {
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes > MAX_SCHEMA_BYTES) throw refused(`${member} has ${bytes} bytes; at most ${MAX_SCHEMA_BYTES} are allowed.`);
  const verdict = await schemas.compile(schema, owner);
  if (verdict.is !== 'usable') throw refused(`${member} cannot be used: ${verdict.reason}.`);
};

const checkDefaults = async (schemas: CallerSchemas, schema: JsonObject, defaults: JsonObject, owner: string): Promise<void> => {
  const verdict = await schemas.validate(schema, defaults, owner);
  if (verdict.is === 'fits') return;
  if (verdict.is !== 'misfit') throw refused(`defaultProperties cannot be checked: ${verdict.reason}.`);
  const [first] = verdict.findings;
  throw new Problem(
    'PROCESSOR_PROPERTIES_VALIDATION_ERROR',
    `defaultProperties: ${first?.path || '/'} ${first?.message ?? 'is not valid'}`,
  );
};
