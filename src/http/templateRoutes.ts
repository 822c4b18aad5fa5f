import { hasRole } from '../domain/caller.ts';
import { DECLARATIONS } from '../domain/declarations.ts';
import { notFound } from '../domain/problem.ts';
import type { VisibleTemplate } from '../domain/templates.ts';
import type { JsonSchema } from '../json.ts';
import { forbidden } from './errors.ts';
import { PAGE_PARAMETERS, type PageRequest, pageOf } from './page.ts';
import { numberValue, textValue } from './queryValues.ts';
import type { ApiRequest, ApiResponse, QueryParameter, Route } from './route.ts';
import type { TemplateLibrary } from './templateLibrary.ts';

const BASE = '/stream-configuration-service/api/v1';
const TAG = 'Stream configuration templates';

const TEMPLATE_SCHEMA: JsonSchema = { type: 'object', description: 'StreamConfigurationTemplate' };
const PAGE_SCHEMA: JsonSchema = { type: 'object', description: 'Page' };
const VERSION: QueryParameter = {
  schema: { type: 'integer', minimum: 1, maximum: 1_000_000_000 },
  description: 'An earlier version. Default: the newest.',
};
const SUBJECT: QueryParameter = {
  schema: { type: 'string', maxLength: 255 },
  description: 'Whose list; for admins. Default: the own one.',
};

const pageRequest = ({ query }: ApiRequest): PageRequest => ({
  page: numberValue(query, 'page') ?? 0,
  size: numberValue(query, 'size') ?? 10,
});

const paged = <Item>(items: readonly Item[], request: PageRequest): ApiResponse => {
  const from = request.page * request.size;
  return { status: 200, body: pageOf(items.slice(from, from + request.size), items.length, request) };
};

/** Whose templates are asked for: the caller's own, or, by an admin, another's. */
const subjectOf = ({ caller, query }: ApiRequest): string => {
  const named = textValue(query, 'subject') ?? caller.subject;
  if (named !== caller.subject && !hasRole(caller, 'admin')) throw forbidden('Only an admin sees the templates of others.');
  return named;
};

/** Tells an overlay from the built-in template that has the same id and version. */
const templateETag = ({ template, layer }: VisibleTemplate): string => `"${layer}-${template.version}"`;

const listTemplates = (templates: TemplateLibrary): Route => ({
  operationId: 'findAllTemplates',
  tag: TAG,
  method: 'GET',
  path: `${BASE}/stream-configuration-templates`,
  summary: 'The templates that the caller can use: built-in ones, own ones and overlays; newest first, then by id.',
  access: 'authenticated',
  query: { ...PAGE_PARAMETERS, subject: SUBJECT },
  reads: [],
  responses: { 200: { description: 'A page of templates.', schema: PAGE_SCHEMA } },
  handle: async (request) => paged(await templates.list(subjectOf(request)), pageRequest(request)),
});

const getTemplate = (templates: TemplateLibrary): Route => ({
  operationId: 'findTemplateById',
  tag: TAG,
  method: 'GET',
  path: `${BASE}/stream-configuration-templates/{streamConfigurationTemplateId}`,
  summary: 'One template, in its newest or an earlier version.',
  access: 'authenticated',
  query: { version: VERSION },
  reads: [],
  responses: { 200: { description: 'The template; its version as an ETag.', schema: TEMPLATE_SCHEMA } },
  handle: async ({ caller, params, query }) => {
    const id = params.streamConfigurationTemplateId ?? '';
    const found = await templates.find(caller.subject, id, numberValue(query, 'version'));
    if (!found) throw notFound('stream configuration template');
    return { status: 200, body: found.template, headers: { ETag: templateETag(found) } };
  },
});

const listDeclarations = (): Route => ({
  operationId: 'findAllProcessorDeclarations',
  tag: TAG,
  method: 'GET',
  path: `${BASE}/processor-declarations`,
  summary: 'The kinds of processors that a template can be made of, with the schemas of their properties.',
  access: 'authenticated',
  query: PAGE_PARAMETERS,
  reads: [],
  responses: { 200: { description: 'A page of processor declarations.', schema: PAGE_SCHEMA } },
  handle: async (request) => paged(DECLARATIONS, pageRequest(request)),
});

/** Reading templates and processor declarations. Templates are folded from the log itself: no read model is behind. */
export const templateRoutes = ({ templates }: { templates: TemplateLibrary }): Route[] => [
  listTemplates(templates),
  getTemplate(templates),
  listDeclarations(),
];
