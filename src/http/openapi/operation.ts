import type { JsonSchema } from '../../json.ts';
import * as s from '../../schema.ts';
import { isOpenAiPath } from '../errors/openAiPath.ts';
import { OPENAI_ERROR } from '../errors/openAiSchemas.ts';
import { valueSchema } from '../input/parameters.ts';
import type { Components } from '../route/components.ts';
import { headerParameter, headerReferences, optionalHeaders, type ResponseHeader } from '../route/headers.ts';
import { pathParameter } from '../route/pathParameters.ts';
import type { DocumentedContent, DocumentedResponse, QueryParameter, Route } from '../route/route.ts';
import { ERROR_RESPONSE } from './errorResponse.ts';
import type { DocumentForm } from './openapi.ts';
import { SECURITY } from './security.ts';

/** The document's entry for one route. */
export const operation = (route: Route, components: Components, form: DocumentForm): object => {
  const { operationId, tag, summary, description, access, query = {}, headers = [] } = route;
  const waits = route.method === 'GET' && access !== 'open';
  const conditional = form !== 'for clients' && isConditional(route);
  const parameters = [
    ...parameterNames(route.path).map((name) => pathParameter(name, route.params?.[name], components)),
    ...Object.entries(query).map(([name, parameter]) => queryParameter(name, parameter, components)),
    ...headers.map((name) => headerParameter(name)),
    ...(conditional ? [headerParameter('If-Match', READ_IF_MATCH), headerParameter('If-None-Match')] : []),
    ...(waits ? [headerParameter('Tributary-After')] : []),
  ];
  const roles = Array.isArray(access) ? `\n\nNeeds one of the roles: ${access.join(', ')}.` : '';
  return {
    operationId,
    tags: [tag],
    summary,
    description: `${description}${roles}`,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: requestBody(route.body, components) } : {}),
    responses: responses(route, components, conditional),
    security: access === 'open' ? (route.identifies ? [{}, ...SECURITY] : []) : SECURITY,
  };
};

/** The names in a path's braces, in order. */
const parameterNames = (path: Route['path']): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');

const READ_IF_MATCH = 'ETag of the state to read. 412 if the present state is another.';

/** Reads that answer with an ETag take preconditions: `answers/preconditions.ts`. */
const isConditional = ({ method, responses: { 200: read } }: Route): boolean =>
  method === 'GET' && [...(read?.headers ?? []), ...(read?.optionalHeaders ?? [])].includes('ETag');

const queryParameter = (name: string, parameter: QueryParameter, components: Components): object => ({
  name,
  in: 'query',
  required: (parameter.required ?? false) !== false,
  description: parameter.description,
  schema: components.reference(valueSchema(parameter.isId ? { ...parameter, schema: s.uuid } : parameter)),
  ...(parameter.list ? { style: 'form', explode: parameter.list === 'repeat' } : {}),
  ...(parameter.example === undefined ? {} : { example: parameter.example }),
});

const requestBody = (body: NonNullable<Route['body']>, components: Components): object => {
  switch (body.kind) {
    case 'json': {
      const schema = components.reference(body.documented ?? body.schema);
      return { required: body.required ?? true, content: { 'application/json': { schema, ...examplesOf(body) } } };
    }
    case 'form':
      return {
        required: true,
        content: {
          'application/x-www-form-urlencoded': { schema: components.reference(body.documented ?? { type: 'object' }), ...examplesOf(body) },
        },
      };
    case 'raw':
      return { required: true, content: rawContent(body, components) };
  }
};

const rawContent = (body: Extract<Route['body'], { kind: 'raw' }>, components: Components): object => {
  const nothing: DocumentedContent = {};
  const documented = body.documented ?? Object.fromEntries(body.contentTypes.map((type) => [type, nothing]));
  const shown = Object.entries(documented).map(([type, { schema, ...more }]) => [
    type,
    { ...(schema ? { schema: components.reference(schema) } : {}), ...more },
  ]);
  return Object.fromEntries(shown);
};

const examplesOf = ({ examples }: { readonly examples?: object }): object => (examples ? { examples } : {});

const responses = (route: Route, components: Components, conditional: boolean): object => {
  const errors = errorsOf(route).map((name) => [ERRORS[name][0], sharedError(name, route, components)]);
  const own = Object.entries({ ...route.responses, ...(conditional && PRECONDITIONS) }).map(([status, response]) => [
    status,
    documented(Number(status), response, route, components),
  ]);
  return Object.fromEntries([...errors, ...own]);
};

const PRECONDITIONS: Readonly<Record<number, DocumentedResponse>> = {
  304: { description: '`If-None-Match` names the present state.', headers: ['ETag'] },
  412: { description: '`If-Match` does not name the present state.' },
};

const sharedError = (name: ErrorName, route: Route, components: Components): object =>
  isOpenAiPath(route.path)
    ? documented(ERRORS[name][0], { description: ERRORS[name][1] }, route, components)
    : { $ref: `#/components/responses/${name}` };

/** Refusals that operations share: status and meaning. */
const ERRORS = {
  BadRequest: [400, 'A parameter, the body or the request itself is not valid.'],
  Unauthorized: [401, 'No credential or a wrong one.'],
  Forbidden: [403, 'The caller lacks the role, or is not the owner.'],
  NotFound: [404, 'Not found, or not visible to the caller.'],
  RequestTimeout: [408, 'The body did not arrive in time.'],
  ContentTooLarge: [413, 'The body is too large.'],
  UnsupportedMediaType: [415, 'Wrong content type or encoding.'],
  TooManyRequests: [429, 'Too many wrong credentials or requests.'],
  InternalServerError: [500, 'Internal error.'],
  ServiceUnavailable: [503, 'A store is unavailable, or the server is stopping.'],
} as const satisfies Record<string, readonly [status: number, meaning: string]>;

type ErrorName = keyof typeof ERRORS;

const errorsOf = ({ access, path, body }: Route): readonly ErrorName[] => [
  'BadRequest',
  ...(access === 'open' ? [] : (['Unauthorized', 'Forbidden'] as const)),
  ...(path.includes('{') ? (['NotFound'] as const) : []),
  ...(body ? (['RequestTimeout', 'ContentTooLarge', 'UnsupportedMediaType'] as const) : []),
  ...(access === 'open' ? [] : (['TooManyRequests'] as const)),
  'InternalServerError',
  'ServiceUnavailable',
];

/** The `responses` of the document's components. */
export const errorComponents = (components: Components): object =>
  Object.fromEntries(
    Object.entries(ERRORS).map(([name, [status, description]]) => [
      name,
      {
        description,
        headers: headerReferences(['X-Correlation-Id', ...(BY_STATUS[status] ?? [])]),
        content: { 'application/json': { schema: components.reference(ERROR_RESPONSE) } },
      },
    ]),
  );

const documented = (status: number, response: DocumentedResponse, route: Route, components: Components): object => {
  const { description, contentType = 'application/json', alternatives = {} } = response;
  const error = isOpenAiPath(route.path) ? OPENAI_ERROR : ERROR_RESPONSE;
  const schema = response.schema ?? (status >= 400 && response.contentType === undefined ? error : undefined);
  const content: Record<string, { schema?: JsonSchema }> = {};
  if (schema || response.contentType !== undefined) content[contentType] = schema ? { schema: components.reference(schema) } : {};
  for (const [type, other] of Object.entries(alternatives)) content[type] = { schema: components.reference(other) };
  return {
    description,
    headers: { ...headerReferences(headersOf(status, response, route)), ...optionalHeaders(response.optionalHeaders ?? []) },
    ...(Object.keys(content).length > 0 ? { content } : {}),
  };
};

const BY_STATUS: Readonly<Record<number, readonly ResponseHeader[]>> = {
  401: ['WWW-Authenticate', 'RateLimit', 'RateLimit-Policy'],
  429: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  503: ['Retry-After'],
};

const headersOf = (status: number, { headers = [] }: DocumentedResponse, route: Route): readonly ResponseHeader[] => {
  const { method, access, reads, alwaysFresh } = route;
  const waits = method !== 'GET' || (alwaysFresh !== true && reads?.length !== 0);
  const mayBePending = waits && access !== 'open' && status < 300;
  return [
    'X-Correlation-Id',
    ...headers,
    ...(BY_STATUS[status] ?? []),
    ...(mayBePending ? (['Tributary-Consistency', 'Tributary-Position'] as const) : []),
  ];
};
