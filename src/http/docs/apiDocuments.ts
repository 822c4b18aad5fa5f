import { asyncapiDocument } from '../asyncapi/asyncapi.ts';
import { type ApiDescription, type DocumentForm, isOnePath, openapiDocument } from '../openapi/openapi.ts';
import { type ApiResponse, defineRoute, type Route } from '../route/route.ts';
import { docsRoutes, once } from './docsRoute.ts';
import { type DocsFiles, NO_FILES } from './files.ts';

/** `/openapi.json`, `/asyncapi.json`, and `/docs`, which shows both. Each is built at its first request and documents itself too. */
export const apiDocumentRoutes = (routes: readonly Route[], description: ApiDescription, files: DocsFiles = NO_FILES): readonly Route[] => {
  const formed = (form: DocumentForm): (() => object) => once(() => openapiDocument([...routes, ...own], description, form));
  const forms = {
    everything: served(formed('everything')),
    'without webhooks': served(formed('without webhooks')),
    'for clients': served(formed('for clients')),
  };
  const asyncapi = once(() => asyncapiDocument(description));
  const docs = docsRoutes(() => [...routes, ...own].filter(isOnePath), asyncapi, files);
  const own = [openapiRoute((form) => forms[form]()), asyncapiRoute(served(asyncapi)), docs.overview];
  return [...own, ...docs.pages];
};

/** The document does not change, so it is serialised once. */
const served = (document: () => object): (() => ApiResponse) =>
  once(() => ({ status: 200, body: Buffer.from(JSON.stringify(document())), contentType: 'application/json' }));

const SHARED = { tag: 'Operations', method: 'GET', access: 'open', unlimited: true } as const;

const openapiRoute = (document: (form: DocumentForm) => ApiResponse): Route =>
  defineRoute({
    ...SHARED,
    operationId: 'getOpenapi',
    path: '/openapi.json',
    summary: 'This document.',
    description: 'The HTTP interface and the webhooks that the platform sends. `/docs` is the readable form.',
    responses: { 200: { description: 'OpenAPI 3.1.', schema: { type: 'object', required: ['openapi', 'info', 'paths'] } } },
    query: {
      for: {
        schema: { type: 'string', enum: ['clients'] },
        description:
          '`clients`: for generators, each operation with one type of body and one type of answer, without webhooks, WebSocket and `/v1`.',
      },
      webhooks: {
        schema: { type: 'boolean', default: true },
        description: 'Whether the section `webhooks` is there. Its schemas always are.',
      },
    },
    handle: async ({ query }) => {
      if (query.for === 'clients') return document('for clients');
      return document(query.webhooks ? 'everything' : 'without webhooks');
    },
  });

const asyncapiRoute = (document: () => ApiResponse): Route =>
  defineRoute({
    ...SHARED,
    operationId: 'getAsyncapi',
    path: '/asyncapi.json',
    summary: 'The AsyncAPI document of the WebSocket gateway.',
    description: 'The messages in both directions. `/docs` is the readable form.',
    responses: {
      200: { description: 'AsyncAPI 3.0.', schema: { type: 'object', required: ['asyncapi', 'info', 'channels', 'operations'] } },
    },
    handle: async () => document(),
  });
