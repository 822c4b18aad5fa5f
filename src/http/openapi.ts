import type { JsonSchema } from '../json.ts';
import { valueSchema } from './parameters.ts';
import type { DocumentedResponse, QueryParameter, Route } from './route.ts';
import { parameterNames } from './routeTable.ts';

export interface ApiDescription {
  readonly version: string;
  readonly publicUrl: () => string;
}

/** `/openapi.json`: says of every route, itself included, what the server does for it. The document is built at the first request. */
export const openapiRoute = (routes: readonly Route[], description: ApiDescription): Route => {
  let document: object | null = null;
  const route: Route = {
    operationId: 'getOpenapi',
    tag: 'Operations',
    method: 'GET',
    path: '/openapi.json',
    summary: 'This document.',
    access: 'open',
    responses: { 200: { description: 'OpenAPI 3.1.', schema: { type: 'object' } } },
    handle: async () => {
      document ??= openapiDocument([...routes, route], description);
      return { status: 200, body: document };
    },
  };
  return route;
};

/** The OpenAPI 3.1 document of a list of routes. */
export const openapiDocument = (routes: readonly Route[], { version, publicUrl }: ApiDescription): object => {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  return {
    openapi: '3.1.0',
    info: { title: 'Tributary', version, description: 'Event-sourced stream processing that you host yourself.', license: LICENSE },
    servers: [{ url: publicUrl() }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: { schemas: { ErrorResponse: ERROR_RESPONSE }, securitySchemes: SECURITY_SCHEMES },
  };
};

const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' };

const ERROR_RESPONSE = {
  type: 'object',
  required: ['statusCode', 'title', 'message', 'internalErrorName', 'nestedErrors'],
  properties: {
    statusCode: { type: 'integer', format: 'int32' },
    title: { type: 'string' },
    message: { type: 'string' },
    internalErrorName: { type: 'string' },
    nestedErrors: { type: 'array', items: { $ref: '#/components/schemas/ErrorResponse' } },
  },
};

const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });
const inQuery = (name: string, description: string) => ({ type: 'apiKey', in: 'query', name, description });

const SECURITY_SCHEMES = {
  accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'From the token endpoint, or from the outside issuer.' },
  apiKey: header('Authorization', '`Basic <API_KEY>`: the key stands as it is behind `Basic `; or base64 of `client_id:client_secret`.'),
  clientId: header('X-Client-Id', 'With X-Client-Secret.'),
  clientSecret: header('X-Client-Secret', 'With X-Client-Id.'),
  queryClientId: inQuery('client_id', 'With client_secret. Discouraged: proxies may log it.'),
  queryClientSecret: inQuery('client_secret', 'With client_id. Discouraged: proxies may log it.'),
  queryAccessToken: inQuery('access_token', 'An access token or an API key. Discouraged: proxies may log it.'),
};

const SECURITY = [
  { accessToken: [] },
  { apiKey: [] },
  { clientId: [], clientSecret: [] },
  { queryClientId: [], queryClientSecret: [] },
  { queryAccessToken: [] },
];

const operation = (route: Route): object => {
  const { operationId, tag, summary, access, query = {} } = route;
  const parameters = [
    ...parameterNames(route.path).map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...Object.entries(query).map(([name, parameter]) => queryParameter(name, parameter)),
    ...(route.method === 'GET' && access !== 'open' ? [AFTER] : []),
  ];
  return {
    operationId,
    tags: [tag],
    summary,
    ...(Array.isArray(access) ? { description: `Needs one of the roles: ${access.join(', ')}.` } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: requestBody(route.body) } : {}),
    responses: responses(route),
    security: access === 'open' ? [] : SECURITY,
  };
};

const AFTER = {
  name: 'Tributary-After',
  in: 'header',
  required: false,
  description: 'The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9:._-]{1,128}$' },
};

const queryParameter = (name: string, parameter: QueryParameter): object => ({
  name,
  in: 'query',
  required: parameter.required ?? false,
  description: parameter.description,
  schema: valueSchema(parameter),
  ...(parameter.list ? { style: 'form', explode: parameter.list === 'repeat' } : {}),
});

const requestBody = (body: NonNullable<Route['body']>): object => {
  switch (body.kind) {
    case 'json':
      return { required: body.required ?? true, content: { 'application/json': { schema: body.schema } } };
    case 'form':
      return { required: true, content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } } };
    case 'raw':
      return { required: true, content: Object.fromEntries(body.contentTypes.map((type) => [type, {}])) };
    default: {
      const never: never = body;
      return never;
    }
  }
};

const responses = (route: Route): object => {
  const errors: Record<string, object> = {};
  for (const [status, description] of errorStatuses(route)) errors[status] = errorResponse(description);
  const own = Object.entries(route.responses).map(([status, response]) => [status, documented(Number(status), response)]);
  return { ...errors, ...Object.fromEntries(own) };
};

type StatusAndMeaning = readonly [status: string, meaning: string];

const ALWAYS: readonly StatusAndMeaning[] = [
  ['400', 'A parameter, the body or the request itself is not as it must be.'],
  ['500', 'An error of the platform.'],
  ['503', 'A store is away, or the server is stopping.'],
];
const BEHIND_A_CREDENTIAL: readonly StatusAndMeaning[] = [
  ['401', 'No credential, or a wrong one.'],
  ['403', 'The role or the owner is missing.'],
  ['429', 'Too many wrong credentials, or too much at once.'],
];
const BY_ID: readonly StatusAndMeaning[] = [['404', 'Unknown, or not visible to the caller.']];
const WITH_A_BODY: readonly StatusAndMeaning[] = [
  ['413', 'The body is too large.'],
  ['415', 'Wrong content type or encoding.'],
];

const errorStatuses = ({ access, path, body }: Route): readonly StatusAndMeaning[] => [
  ...ALWAYS,
  ...(access === 'open' ? [] : BEHIND_A_CREDENTIAL),
  ...(path.includes('{') ? BY_ID : []),
  ...(body ? WITH_A_BODY : []),
];

const errorResponse = (description: string): object => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' } } },
});

const documented = (status: number, { description, schema, contentType }: DocumentedResponse): object => {
  if (status >= 400 && !schema && !contentType) return errorResponse(description);
  if (!schema && !contentType) return { description };
  const content: { schema?: JsonSchema } = schema ? { schema } : {};
  return { description, content: { [contentType ?? 'application/json']: content } };
};
