import type { TemplateLibrary } from '../../commands/templateLibrary.ts';
import { deleteTemplate, patchTemplate, putTemplate, type TemplateDeps, type TemplateRequest } from '../../commands/templates.ts';
import { hasRole } from '../../domain/credentials/caller.ts';
import { parseIfMatch } from '../../domain/ifMatch.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import type { TemplateScope } from '../../domain/templates/decisions.ts';
import { patchesOfJson } from '../../domain/templates/patches.ts';
import { patchedTemplate } from '../../domain/templates/patchTemplate.ts';
import { withRedaction } from '../../domain/templates/redactionStage.ts';
import { type TemplatePlace, templateTag, type VisibleTemplate } from '../../domain/templates/state.ts';
import type { Limits } from '../../limits.ts';
import type { CallerSchemas } from '../../processors/schemas/callerSchemas.ts';
import { checkResponseFormats } from '../../processors/schemas/checkResponseFormats.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { inMemberOrder } from '../answers/memberOrder.ts';
import { listParameters, type PageRequest, pageAround } from '../answers/page.ts';
import { forbidden } from '../errors/errors.ts';
import { patchesOfHeaders, TEMPLATE_PATCH_HEADERS } from '../input/templatePatchHeaders.ts';
import { commandContext, requestedSubject } from '../route/commandContext.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type QueryParameter, type Route } from '../route/route.ts';
import { pageSchema } from '../streams/streamSchemas.ts';
import { type RunnableDeps, runnableOf } from './runnable.ts';
import { DOCUMENTED_PATCHES, PATCH_EXAMPLES, PATCHES_BODY, TEMPLATE_BODY, TEMPLATE_EXAMPLES, TEMPLATE_SCHEMA } from './templateSchemas.ts';

export interface TemplateRouteDeps extends RunnableDeps {
  readonly log: EventLog;
  readonly limits: Limits;
  readonly templates: TemplateLibrary;
  readonly schemas: CallerSchemas;
}

const BASE = '/stream-configuration-service/api/v1';
const TEMPLATES = `${BASE}/stream-configuration-templates`;
const ONE = `${TEMPLATES}/{streamConfigurationTemplateId}` as const;
/** Templates are folded from the log itself, so no read model can be behind. */
const SHARED = { tag: 'Stream configuration templates', access: 'authenticated', reads: [] } as const;

const VERSION = {
  schema: { type: 'integer', minimum: 1, maximum: 1_000_000_000 },
  description: 'An earlier version. Default: the newest.',
} as const;
const LAYER = {
  schema: { title: 'TemplateLayer', type: 'string', enum: ['builtin', 'shipped'] },
  description:
    '`builtin`: the built-in template beneath your copy. `shipped`: that template before any administrator changed it. Ignores `version`. Default: the template that you use.',
} as const;
const SUBJECT = {
  schema: { type: 'string', maxLength: 255 },
  isId: true,
  description: 'Subject whose templates are listed, for admins. Default: the caller.',
} as const;
const DRY_RUN = {
  schema: { type: 'boolean', default: false },
  description: 'Returns the result without changing anything.',
} as const;
const SCOPE = {
  schema: { title: 'TemplateScope', type: 'string', enum: ['builtin'] },
  description: 'Changes the built-in template itself, for everybody. Admins only. Default: your own template or private overlay.',
} as const satisfies QueryParameter;
const CONFLICT = { 409: { description: '`If-Match` does not match.' } };

const paged = (
  deps: TemplateRouteDeps,
  subject: string,
  places: readonly TemplatePlace[],
  { query }: ApiRequest<unknown, PageRequest>,
): ApiResponse => {
  const page = places.slice(query.page * query.size, (query.page + 1) * query.size);
  return {
    status: 200,
    body: pageAround(resources(deps, subject, page), { totalElements: places.length, numberOfElements: page.length }, query),
  };
};

/** Read and written one after another: those of earlier versions may have 256 KiB. */
async function* resources(deps: TemplateRouteDeps, subject: string, places: readonly TemplatePlace[]): AsyncGenerator<object> {
  for (const place of places) {
    const visible = await deps.templates.at(subject, place);
    if (visible) yield resourceOf(deps, subject, visible);
  }
}

/** The subject whose templates are requested: the caller, or, for an admin, another. */
const subjectOf = ({ caller, query }: ApiRequest<unknown, { readonly subject?: string }>): string =>
  requestedSubject(caller, query.subject, 'Only an admin can see the templates of others.');

const resourceOf = async (deps: RunnableDeps, subject: string, { template, origin }: VisibleTemplate): Promise<object> => {
  const runnable = await runnableOf(deps, subject, template);
  return inMemberOrder(TEMPLATE_SCHEMA, { ...template, origin, runnable });
};

const tagOf = ({ layer, template: { version } }: VisibleTemplate): string => templateTag({ layer, version });

const answerOf = async (
  deps: RunnableDeps,
  { caller }: ApiRequest,
  visible: VisibleTemplate,
  headers: Readonly<Record<string, string>> = {},
): Promise<ApiResponse> => ({
  status: 200,
  body: await resourceOf(deps, caller.subject, visible),
  headers: { ETag: `"${tagOf(visible)}"`, ...headers },
});

const commandDeps = ({ log, limits, schemas }: TemplateRouteDeps): TemplateDeps => ({
  log,
  limits,
  checkTemplate: (template, subject) => checkResponseFormats(schemas, template, subject),
});

type ChangeRequest = ApiRequest<unknown, { readonly scope?: 'builtin'; readonly dryRun?: boolean }>;

const scopeOf = ({ caller, query }: ChangeRequest): TemplateScope => {
  if (query.scope === undefined) return 'own';
  if (!hasRole(caller, 'admin')) throw forbidden('Only an admin can change a built-in template for everybody. Leave scope out.');
  return 'builtin';
};

const requestOf = (request: ChangeRequest): TemplateRequest => ({
  subject: request.caller.subject,
  scope: scopeOf(request),
  ifMatch: parseIfMatch(request.header('If-Match')),
  dryRun: request.query.dryRun ?? false,
});

const listTemplates = (deps: TemplateRouteDeps): Route =>
  defineRoute({
    ...SHARED,
    operationId: 'findAllTemplates',
    method: 'GET',
    path: TEMPLATES,
    summary: 'Lists the templates the caller can use: built-in ones, their own and overlays. Newest first, then by id.',
    description: 'Administrators can list the templates of another subject with `subject`.',
    query: { ...listParameters('createdTimestamp,desc'), subject: SUBJECT },
    responses: { 200: { description: 'A page of templates.', schema: pageSchema(TEMPLATE_SCHEMA) } },
    handle: async (request) => {
      const subject = subjectOf(request);
      return paged(deps, subject, await deps.templates.list(subject), request);
    },
  });

const getTemplate = (deps: TemplateRouteDeps): Route =>
  defineRoute({
    ...SHARED,
    operationId: 'findTemplateById',
    method: 'GET',
    path: ONE,
    summary: 'Returns a template in its newest or an earlier version.',
    description:
      'Every version stays readable. Use the ETag of the answer for If-Match. With patches in a header, returns the template as an upload with them would use it, without an ETag.',
    headers: [...TEMPLATE_PATCH_HEADERS],
    query: { version: VERSION, layer: LAYER },
    responses: {
      200: {
        description: 'The template, with an ETag of its state. Without one if it is shown with patches or as one layer.',
        schema: TEMPLATE_SCHEMA,
        optionalHeaders: ['ETag'],
      },
    },
    handle: async (request) => {
      const { caller, query, params } = request;
      const { streamConfigurationTemplateId: id } = params;
      const { layer, version } = query;
      const { templates } = deps;
      const found = await (layer === undefined
        ? templates.find(caller.subject, id, version)
        : templates.builtin(caller.subject, id, layer));
      if (!found) throw notFound('stream configuration template');
      const patches = patchesOfHeaders(request.header);
      // A template that is only shown has no ETag, since it cannot be changed with one.
      if (patches.length === 0 && layer === undefined) return answerOf(deps, request, found);
      const patched = { ...found, template: patchedTemplate(withRedaction(found.template, patches), patches) };
      return { status: 200, body: await resourceOf(deps, caller.subject, patched) };
    },
  });

const saveTemplate = (deps: TemplateRouteDeps): Route =>
  defineRoute({
    ...SHARED,
    operationId: 'saveTemplate',
    method: 'PUT',
    path: TEMPLATES,
    summary: 'Creates a template, or replaces your template with the given id.',
    description:
      "What GET gave can be sent back: members that only the platform sets are ignored. A template that cannot run is refused with what is wrong where. An id that is unknown or another's is 403, and so is a built-in one without `scope`.",
    headers: ['If-Match'],
    query: { dryRun: DRY_RUN, scope: SCOPE },
    body: { kind: 'json', schema: TEMPLATE_BODY, examples: TEMPLATE_EXAMPLES },
    responses: { 200: { description: 'The template as it is now.', schema: TEMPLATE_SCHEMA, headers: ['ETag', 'Location'] }, ...CONFLICT },
    handle: async (request) => {
      const { id, ...draft } = request.body;
      if (!id && scopeOf(request) === 'builtin')
        throw new Problem(
          'GENERAL_VALIDATION_ERROR',
          'scope=builtin needs the id of a built-in template. Leave scope out to create a template.',
        );
      const visible = await putTemplate(commandDeps(deps), { ...requestOf(request), id: id || null, draft }, commandContext(request));
      const isNew = !id && !request.query.dryRun;
      return answerOf(deps, request, visible, isNew ? { Location: `${TEMPLATES}/${visible.template.id}` } : {});
    },
  });

const changeTemplate = (deps: TemplateRouteDeps): Route =>
  defineRoute({
    ...SHARED,
    operationId: 'patchTemplate',
    method: 'PATCH',
    path: ONE,
    summary: 'Patches a template. Patching a built-in template creates a private overlay under the same id.',
    description:
      "Only `add`, `replace` and `remove`, and only inside a processor's `properties`. A path is `/a/b/c`, `a.b.c` or an alias; a processor is named by its index or its id. With `scope=builtin`, an administrator patches the built-in template for everybody.",
    headers: ['If-Match'],
    query: { dryRun: DRY_RUN, scope: SCOPE },
    body: { kind: 'json', schema: PATCHES_BODY, documented: DOCUMENTED_PATCHES, examples: PATCH_EXAMPLES },
    responses: { 200: { description: 'The template with the patches applied.', schema: TEMPLATE_SCHEMA, headers: ['ETag'] }, ...CONFLICT },
    handle: async (request) => {
      const patches = patchesOfJson(request.body.jsonPatches);
      const wanted = { ...requestOf(request), id: request.params.streamConfigurationTemplateId, patches };
      const visible = await patchTemplate(commandDeps(deps), wanted, commandContext(request));
      return answerOf(deps, request, visible);
    },
  });

const removeTemplate = (deps: TemplateRouteDeps): Route =>
  defineRoute({
    ...SHARED,
    operationId: 'deleteTemplate',
    method: 'DELETE',
    path: ONE,
    summary: 'Deletes your template. Deleting an overlay restores the built-in template.',
    description:
      'A built-in template cannot be deleted (403). With `scope=builtin`, an administrator restores the shipped content of a built-in template, as its next version.',
    headers: ['If-Match'],
    query: { scope: SCOPE },
    responses: { 204: { description: 'Deleted.' }, ...CONFLICT },
    handle: async (request) => {
      const wanted = { ...requestOf(request), id: request.params.streamConfigurationTemplateId };
      await deleteTemplate(commandDeps(deps), wanted, commandContext(request));
      return { status: 204 };
    },
  });

/** Serves templates (`docs/guides/templates.md`). */
export const templateRoutes = (deps: TemplateRouteDeps): Route[] => [
  listTemplates(deps),
  getTemplate(deps),
  saveTemplate(deps),
  changeTemplate(deps),
  removeTemplate(deps),
];
