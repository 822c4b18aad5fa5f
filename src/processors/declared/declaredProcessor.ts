import { Big } from 'big.js';
import { declarationSecrets, declarationVersion, locateDeclaration } from '../../commands/processorDeclarations.ts';
import { type HttpDeclaration, outputName, type PayloadSchema, parseVersionName } from '../../domain/processorDeclarations/declaration.ts';
import { MESSAGE_SCHEMAS } from '../../domain/stream/messages.ts';
import type { Bill, Quantities } from '../../domain/stream/streamConfiguration.ts';
import type { ProcessorDeclaration } from '../../domain/templates/template.ts';
import { uuidv5 } from '../../domain/uuidv5.ts';
import type { Json } from '../../json.ts';
import type { Keys } from '../../stores/keys/openKeys.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { type DeclarationPlaces, type Processor, ProcessorError, type RunContext, type RunReport } from '../processor.ts';
import type { CallerSchemas } from '../schemas/callerSchemas.ts';
import { BUILT_IN_MESSAGES } from './builtInMessages.ts';
import { Exchange, type ExchangeDeps } from './exchange.ts';
import { failed, type HttpRun } from './httpRun.ts';

export interface DeclaredProcessorDeps extends ExchangeDeps {
  readonly log: EventLog;
  readonly keys: Pick<Keys, 'derive'>;
  readonly schemas: CallerSchemas;
}

/** Name of all users' own processors in lists and metrics. A chain names the version of a declaration. */
const PLACEHOLDER: ProcessorDeclaration = {
  id: 'declared',
  displayName: 'Own processors',
  description: 'Processors that users have declared.',
  clusterDomainNameTemplate: null,
  podsDiscoveryClusterDomainName: null,
  revision: '1',
  propertiesSchema: 'tributary.processors.declared.properties',
  propertiesJsonSchema: {},
  inputSchemas: [],
  outputSchema: MESSAGE_SCHEMAS.bytes,
  features: { support: [], require: [], implement: [], requireSupport: [] },
  operationType: 'NO_OPERATION',
};

export interface DeclaredProcessor extends Processor {
  /** One attempt outside any stream. Rejects like a run. */
  runOnce(run: Omit<HttpRun, 'misfit'>, owner: string): Promise<RunReport>;
  /** A payload of the input as a run sends it. Rejects as a run does. */
  line(declaration: HttpDeclaration, payload: Json, owner: string, signal: AbortSignal): Promise<Uint8Array>;
  close(): void;
}

/** Runs all users' own processors: sends each run to the declared URL. */
export const openDeclaredProcessor = (deps: DeclaredProcessorDeps): DeclaredProcessor => {
  const exchange = new Exchange(deps);
  const version = async (owner: string, declarationId: string) => {
    const named = parseVersionName(declarationId);
    const located = named && (await locateDeclaration(deps.log, owner, named.id));
    const declaration = located && (await declarationVersion(deps.log, owner, located, named.version));
    if (!located || !declaration) throw new ProcessorError('PROCESSOR_GENERAL_ERROR', `The processor ${declarationId} no longer exists.`);
    return { declaration, secrets: declarationSecrets(deps.keys, located, deps.clock.now()) };
  };
  const runOnce = (run: Omit<HttpRun, 'misfit'>, owner: string): Promise<RunReport> => {
    const misfit = misfitOf(deps.schemas, run.declaration.outputSchema, owner, run.signal);
    return exchange.run({ ...run, misfit });
  };
  return {
    declaration: PLACEHOLDER,
    mode: 'batch',
    light: true,
    unavailable: () => null,
    runOnce,
    line: (declaration, payload, owner, signal) => lineOf(deps.schemas, declaration, owner, signal)(payload),
    async run(context) {
      const { run, owner, memory } = context;
      if (!run) throw new Error('a declared processor runs in a stream');
      const { declaration, secrets } = await version(owner, run.link.declarationId);
      context.using?.({ engine: 'http', model: run.link.declarationId });
      return runOnce(
        {
          declaration,
          secrets,
          streamId: run.streamId,
          attempt: run.attempt,
          properties: context.properties,
          signal: context.signal,
          runId: uuidv5(run.streamId, memory?.key ?? run.link.processorId),
          ...(memory?.traceparent !== undefined && { traceparent: memory.traceparent }),
          body: () => bodyOf(deps.schemas, declaration, context),
          inputIsComplete: async () => (await context.input.isComplete?.()) ?? true,
          repeats: (failure) => run.repeats(failure),
          bytes: (output) => context.output.bytes(output),
          emit: (output, frameType) => written(context, declaration, output, frameType),
        },
        owner,
      );
    },
    async places(owner, declarationId) {
      return placesOf((await version(owner, declarationId)).declaration);
    },
    async bill(owner, declarationId, quantities) {
      const { declaration } = await version(owner, declarationId);
      return declaration.price.length === 0 ? null : billOf(declaration, declarationId, quantities);
    },
    close: () => exchange.close(),
  };
};

/** The places of a declaration on a node, for runs and tests. */
export const placesOf = ({ id, limits }: HttpDeclaration): DeclarationPlaces => ({
  declarationId: id,
  concurrency: limits.concurrency,
});

const schemaOf = (schema: PayloadSchema): Json | null =>
  typeof schema === 'string' ? ((BUILT_IN_MESSAGES[schema] ?? null) as Json) : (schema as Json);

/** Validates payloads in the threads for callers' schemas. */
export const misfitOf = (
  schemas: CallerSchemas,
  declared: PayloadSchema,
  owner: string,
  signal: AbortSignal,
): ((payload: Json) => Promise<string | null>) => {
  const schema = schemaOf(declared);
  return async (payload) => {
    if (schema === null) return null;
    const verdict = await schemas.validate(schema, payload, owner, { signal });
    if (verdict.is === 'fits') return null;
    if (verdict.is !== 'misfit') return verdict.reason;
    const [first] = verdict.findings;
    return `${first?.path || '/'} ${first?.message ?? 'is not valid'}`;
  };
};

/** The request body: raw bytes, or one payload per line. */
async function* bodyOf(schemas: CallerSchemas, declaration: HttpDeclaration, context: RunContext): AsyncGenerator<Uint8Array> {
  const { inputSchema } = declaration;
  const { input, signal, owner } = context;
  if (inputSchema === MESSAGE_SCHEMAS.bytes || inputSchema === MESSAGE_SCHEMAS.string) {
    yield* input.bytes();
    return;
  }
  const line = lineOf(schemas, declaration, owner, signal);
  for await (const { payload } of input.messages()) yield await line(payload);
}

/** A payload as sent. Rejects with `ProcessorError` if it does not match an input's JSON Schema. */
const lineOf = (
  schemas: CallerSchemas,
  declaration: HttpDeclaration,
  owner: string,
  signal: AbortSignal,
): ((payload: Json) => Promise<Buffer>) => {
  const { inputSchema } = declaration;
  const misfit = typeof inputSchema === 'string' ? null : misfitOf(schemas, inputSchema, owner, signal);
  return async (payload) => {
    const reason = misfit && (await misfit(payload));
    if (reason) throw failed({ declaration }, `cannot take this input: ${reason}`, { final: true });
    return Buffer.from(`${JSON.stringify(payload)}\n`);
  };
};

const written = async (
  { output }: RunContext,
  declaration: HttpDeclaration,
  value: Json,
  frameType: 'final' | 'partial',
): Promise<void> => {
  await output.message({ frameType, payloadSchema: outputName(declaration), payload: value, headers: {} });
};

/** Rounded up to six decimals, as in the price list, so that priced use is never free. */
const billOf = ({ price }: HttpDeclaration, declarationId: string, quantities: Quantities): Bill => {
  const lines: Bill['lines'] = [];
  let sum = new Big(0);
  for (const { quantity, rate } of price) {
    const amount = quantities[quantity];
    if (amount === null || amount <= 0) continue;
    const charge = new Big(amount).times(rate).round(6, 3);
    sum = sum.plus(charge);
    lines.push({ quantity, amount, unit: 'unit', rate, credits: charge.toFixed() });
  }
  return { priceList: declarationId, credits: sum.toFixed(), lines };
};
