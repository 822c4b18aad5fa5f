import type { Clock } from '../../clock.ts';
import { InFlight } from '../../commands/inFlight.ts';
import {
  type DeclarationReference,
  type DeclarationScope,
  declarationSecrets,
  declarationVersion,
  deleteDeclaration,
  findDeclaration,
  type LocatedDeclaration,
  listDeclarations,
  listedDeclaration,
  locateDeclaration,
  rotateDeclarationSecret,
  saveDeclaration,
} from '../../commands/processorDeclarations.ts';
import { hasRole } from '../../domain/credentials/caller.ts';
import { limitReached, notFound, Problem } from '../../domain/problem.ts';
import { asProcessorDeclaration, DEFAULT_LIMITS, type HttpDeclaration } from '../../domain/processorDeclarations/declaration.ts';
import { DECLARATIONS } from '../../domain/templates/declarations.ts';
import type { ProcessorDeclaration } from '../../domain/templates/template.ts';
import type { Shape } from '../../json.ts';
import type { Limits } from '../../limits.ts';
import { type DeclaredProcessor, misfitOf } from '../../processors/declared/declaredProcessor.ts';
import type { Admission } from '../../processors/runner/admission.ts';
import type { Keys } from '../../stores/keys/openKeys.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { listParameters, type PageRequest, pageAround } from '../answers/page.ts';
import { forbidden } from '../errors/errors.ts';
import { invalid } from '../input/schemas.ts';
import { commandContext } from '../route/commandContext.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../route/route.ts';
import { pageSchema } from '../streams/streamSchemas.ts';
import { type ContentDeps, type DeclarationDraft, declarationContent } from './declarationContent.ts';
import {
  DECLARATION_BODY,
  DECLARATION_EXAMPLES,
  DOCUMENTED_DECLARATION,
  LISTED_DECLARATION,
  OWN_DECLARATION,
  SECRET_ROTATED,
  TEST_ANSWER,
  TEST_BODY,
  TEST_EXAMPLES,
} from './declarationSchemas.ts';
import { testDeclaration } from './declarationTest.ts';

export interface DeclarationRouteDeps extends ContentDeps {
  readonly log: EventLog;
  readonly limits: Limits;
  readonly keys: Pick<Keys, 'derive'>;
  readonly clock: Clock;
  readonly declared: DeclaredProcessor;
  readonly admission: Admission;
}

const DECLARATIONS_PATH = '/stream-configuration-service/api/v1/processor-declarations';
const ONE = `${DECLARATIONS_PATH}/{declarationId}` as const;
const SHARED = { tag: 'Processors', access: 'authenticated', reads: [] } as const;
const ID = { declarationId: { description: 'The processor declaration.', schema: { type: 'string' }, example: 'echo' } } as const;
const SCOPE = {
  schema: { title: 'DeclarationScope', type: 'string', enum: ['own', 'all'], default: 'own' },
  description: '`all` declares a processor that all users may use. For administrators.',
} as const;

type OfDeclaration<Query = unknown, Body = unknown> = ApiRequest<{ readonly declarationId: string }, Query, Body>;
type SaveRequest = ApiRequest<unknown, { readonly scope: 'own' | 'all' }, DeclarationDraft>;

const scopeOf = ({ query, caller }: SaveRequest): DeclarationScope => {
  if (query.scope !== 'all') return { subject: caller.subject };
  if (!hasRole(caller, 'admin')) throw forbidden('Only an administrator can declare a processor for all users.');
  return 'shared';
};

/** A declaration as shown: the address only to its owner and administrators, the secret to no one. */
const shown = ({ caller }: Pick<ApiRequest, 'caller'>, declaration: HttpDeclaration, origin: LocatedDeclaration['origin']): object => {
  const { name, url, mode, inputSchema, outputSchema, version, defaultProperties, patchAliases, price, limits } = declaration;
  const visible = origin === 'own' || hasRole(caller, 'admin');
  return {
    ...asProcessorDeclaration(declaration),
    name,
    url: visible ? url : null,
    mode,
    inputSchema,
    outputSchema,
    version,
    defaultProperties,
    patchAliases,
    price,
    limits,
    origin,
  };
};

/** A declaration that is not deleted, with or without its newest content. Rejects with 404. */
const existing = async <Found extends LocatedDeclaration>(
  find: (log: EventLog, subject: string, id: string) => Promise<Found | null>,
  { log }: DeclarationRouteDeps,
  { caller, params }: OfDeclaration,
): Promise<Found> => {
  const declaration = await find(log, caller.subject, params.declarationId);
  if (!declaration || declaration.history.deleted) throw notFound('processor declaration');
  return declaration;
};

/** Only an administrator may change shared declarations: for all others they are not their own. */
const changeable = async (deps: DeclarationRouteDeps, request: OfDeclaration): Promise<{ id: string; scope: DeclarationScope }> => {
  const { id, origin } = await existing(locateDeclaration, deps, request);
  if (origin === 'shared' && !hasRole(request.caller, 'admin'))
    throw forbidden('Only an administrator may change a processor shared by all users.');
  return { id, scope: origin === 'shared' ? 'shared' : { subject: request.caller.subject } };
};

type Listed = DeclarationReference | ProcessorDeclaration;

const listed = async ({ log }: DeclarationRouteDeps, request: ApiRequest<unknown, PageRequest>): Promise<ApiResponse> => {
  const { page, size } = request.query;
  const { subject } = request.caller;
  const all: readonly Listed[] = [...(await listDeclarations(log, subject)), ...DECLARATIONS];
  const items = all.slice(page * size, (page + 1) * size);
  const content = async function* (): AsyncGenerator<object> {
    for (const one of items) {
      const declaration = 'origin' in one ? await listedDeclaration(log, subject, one) : null;
      if (!('origin' in one)) yield { ...one, origin: 'built-in' };
      else if (declaration) yield shown(request, declaration, one.origin);
    }
  };
  return { status: 200, body: pageAround(content(), { totalElements: all.length, numberOfElements: items.length }, request.query) };
};

const one = async (deps: DeclarationRouteDeps, request: OfDeclaration<{ readonly version?: number }>): Promise<ApiResponse> => {
  const builtIn = DECLARATIONS.find(({ id }) => id === request.params.declarationId);
  const { version } = request.query;
  if (builtIn && (version === undefined || version === 1)) return { status: 200, body: { ...builtIn, origin: 'built-in' } };
  const located = await existing(locateDeclaration, deps, request);
  const wanted = await declarationVersion(deps.log, request.caller.subject, located, version ?? located.history.newest.version);
  if (!wanted) throw notFound('version of this processor declaration');
  return { status: 200, body: shown(request, wanted, located.origin) };
};

const saved = async (deps: DeclarationRouteDeps, request: SaveRequest): Promise<ApiResponse> => {
  const draft = request.body;
  const scope = scopeOf(request);
  const content = await declarationContent(deps, draft, request.caller.subject);
  const declared = await saveDeclaration(deps, { id: draft.id || null, scope, content }, commandContext(request));
  const body = shown(request, declared.newest, declared.origin);
  if (draft.id) return { status: 200, body };
  const [secret = ''] = declarationSecrets(deps.keys, declared, deps.clock.now());
  return { status: 201, body: { ...body, secret }, headers: { Location: `${DECLARATIONS_PATH}/${declared.id}` } };
};

const tested = async (deps: DeclarationRouteDeps, request: OfDeclaration<unknown, Shape<typeof TEST_BODY>>): Promise<ApiResponse> => {
  const found = await existing(findDeclaration, deps, request);
  const { signal, caller, body } = request;
  const { properties, input } = body;
  const declaration = found.newest;
  const wanted = properties ?? declaration.defaultProperties ?? {};
  // As in a run, whose properties are part of a template.
  const bytes = properties ? Buffer.byteLength(JSON.stringify(properties)) : 0;
  const most = deps.limits.templateMaxBytes;
  if (bytes > most) throw invalid('properties', `has ${bytes} bytes; at most ${most} are allowed`, 'body');
  const misfit = await misfitOf(deps.schemas, declaration.propertiesJsonSchema, caller.subject, signal)(wanted);
  if (misfit !== null) throw new Problem('PROCESSOR_PROPERTIES_VALIDATION_ERROR', `properties: ${misfit}`);
  const secrets = declarationSecrets(deps.keys, found, deps.clock.now());
  const test = { declaration, secrets, properties: wanted, input, owner: caller.subject, signal };
  return { status: 200, body: await testDeclaration(deps, test) };
};

/** Their outputs are held in memory. */
const MOST_TESTS = 2;

const tooManyTests = (): Problem =>
  limitReached(`You have ${MOST_TESTS} processor tests in progress. Try again when one has ended.`, 1, { title: 'Too many tests' });

/** Processor declarations: the built-in ones, and users' own. */
export const declarationRoutes = (
  deps: DeclarationRouteDeps,
  tests = new InFlight(deps.clock, { perUser: MOST_TESTS }, tooManyTests),
): Route[] => [
  defineRoute({
    ...SHARED,
    operationId: 'findAllProcessorDeclarations',
    method: 'GET',
    path: DECLARATIONS_PATH,
    summary: 'Lists the processors that your templates can use: your own, shared and built-in ones.',
    description: '`propertiesJsonSchema` describes the properties of the processor. Your own processors come first, newest first.',
    query: listParameters('createdTimestamp,desc'),
    responses: { 200: { description: 'A page of processor declarations.', schema: pageSchema(LISTED_DECLARATION) } },
    handle: (request) => listed(deps, request),
  }),
  defineRoute({
    ...SHARED,
    operationId: 'findProcessorDeclaration',
    method: 'GET',
    path: ONE,
    summary: 'Returns a processor declaration in its newest or an earlier version.',
    description: 'Every version stays readable. The secret is never shown again.',
    params: ID,
    query: { version: { schema: { type: 'integer', minimum: 1 }, description: 'Default: the newest.' } },
    responses: { 200: { description: 'The declaration.', schema: LISTED_DECLARATION } },
    handle: (request) => one(deps, request),
  }),
  defineRoute({
    ...SHARED,
    operationId: 'saveProcessorDeclaration',
    method: 'PUT',
    path: DECLARATIONS_PATH,
    summary: 'Declares a processor of your own, or its next version.',
    description: `Each run is one signed \`POST\` to the URL. A stream keeps the version that it started with. Defaults: ${DEFAULT_LIMITS.attempts} attempts, ${DEFAULT_LIMITS.timeoutMs} ms. The secret is shown once, in the answer that creates the declaration.`,
    query: { scope: SCOPE },
    holdsSecret: true,
    body: { kind: 'json', schema: DECLARATION_BODY, documented: DOCUMENTED_DECLARATION, examples: DECLARATION_EXAMPLES },
    responses: {
      200: { description: 'The next version.', schema: OWN_DECLARATION },
      201: { description: 'The new declaration, with its secret.', schema: OWN_DECLARATION, headers: ['Location'] },
    },
    handle: (request) => saved(deps, request),
  }),
  defineRoute({
    ...SHARED,
    operationId: 'rotateProcessorSecret',
    method: 'POST',
    path: `${ONE}/secret/rotate`,
    summary: 'Replaces the secret of a processor.',
    description: 'The new and the previous secret both sign requests for 24 hours.',
    params: ID,
    holdsSecret: true,
    responses: { 200: { description: 'The new secret.', schema: SECRET_ROTATED } },
    handle: async (request) => ({
      status: 200,
      body: await rotateDeclarationSecret(deps, await changeable(deps, request), commandContext(request)),
    }),
  }),
  defineRoute({
    ...SHARED,
    operationId: 'testProcessor',
    method: 'POST',
    path: `${ONE}/test`,
    summary: 'Runs a processor once, outside any stream.',
    description:
      'Answers with the output, or with the error that a run would have. `requests` lists every request that was made. A test takes a place of the processor (`limits.concurrency`) and may wait for it. It may send 1 MiB of output. The properties have at most 64 KiB (`TEMPLATE_MAX_BYTES`). 429 if you have two tests in progress.',
    params: ID,
    body: { kind: 'json', schema: TEST_BODY, examples: TEST_EXAMPLES },
    responses: { 200: { description: 'Output or error of the run.', schema: TEST_ANSWER } },
    handle: (request) => tests.pass(request.caller.subject, () => tested(deps, request)),
  }),
  defineRoute({
    ...SHARED,
    operationId: 'deleteProcessorDeclaration',
    method: 'DELETE',
    path: ONE,
    summary: 'Deletes a processor declaration.',
    description: 'Templates that name it stay readable; uploads with them are refused with 409. Streams that started with it still end.',
    params: ID,
    responses: { 204: { description: 'Deleted.' } },
    handle: async (request) => {
      await deleteDeclaration(deps, await changeable(deps, request), commandContext(request));
      return { status: 204 };
    },
  }),
];
