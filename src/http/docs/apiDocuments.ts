import { asyncapiDocument } from '../asyncapi/asyncapi.ts';
import { type ApiDescription, openapiDocument } from '../openapi/openapi.ts';
import type { Route } from '../server/route.ts';
import { docsRoute } from './docsRoute.ts';

/**
 * The documents of the interface, themselves among the operations that they tell of: `/openapi.json`, `/asyncapi.json`, and `/docs`, which shows
 * both. Each is built at its first request.
 */
export const apiDocumentRoutes = (routes: readonly Route[], description: ApiDescription): readonly Route[] => {
  const openapi = once(() => openapiDocument([...routes, ...own], description));
  const asyncapi = once(() => asyncapiDocument(description));
  const own = [openapiRoute(openapi), asyncapiRoute(asyncapi), docsRoute(openapi, asyncapi)];
  return own;
};

const once = (build: () => object): (() => object) => {
  let built: object | null = null;
  return () => {
    built ??= build();
    return built;
  };
};

const SHARED = { tag: 'Operations', method: 'GET', access: 'open' } as const;

const openapiRoute = (document: () => object): Route => ({
  ...SHARED,
  operationId: 'getOpenapi',
  path: '/openapi.json',
  summary: 'This document.',
  description: 'The HTTP interface and the webhooks that the platform sends. `/docs` is the readable form.',
  responses: { 200: { description: 'OpenAPI 3.1.', schema: { type: 'object', required: ['openapi', 'info', 'paths'] } } },
  handle: async () => ({ status: 200, body: document() }),
});

const asyncapiRoute = (document: () => object): Route => ({
  ...SHARED,
  operationId: 'getAsyncapi',
  path: '/asyncapi.json',
  summary: 'The AsyncAPI document of the WebSocket gateway.',
  description: 'The messages in both directions. `/docs` is the readable form.',
  responses: {
    200: { description: 'AsyncAPI 3.0.', schema: { type: 'object', required: ['asyncapi', 'info', 'channels', 'operations'] } },
  },
  handle: async () => ({ status: 200, body: document() }),
});
