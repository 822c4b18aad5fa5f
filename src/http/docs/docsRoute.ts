import { createHash } from 'node:crypto';
import { notFound } from '../../domain/problem.ts';
import { type ApiResponse, defineRoute, type Route } from '../server/route.ts';
import type { HttpDocument, SocketDocument } from './documents.ts';
import type { DocsFiles } from './files.ts';
import { MOST_CHARACTERS } from './search.ts';
import { docsSite } from './site.ts';
import { STYLE } from './style.ts';

/**
 * Allows a script and an icon of this origin, requests of the script to this origin, and the style by its hash. In lower case like helmet's, which
 * it replaces.
 */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cache-Control': 'no-cache',
};
const CONTENT_TYPE = 'text/html; charset=utf-8';
const SHARED = { tag: 'Operations', method: 'GET', access: 'open', unlimited: true } as const;
const PAGE = { 200: { description: 'The page.', schema: { type: 'string' }, contentType: CONTENT_TYPE } };

export interface DocsRoutes {
  /** An operation of the API, as documented. */
  readonly overview: Route;
  /** Pages for browsers only: they are not in `/openapi.json`. */
  readonly pages: readonly Route[];
}

/** `/docs`: both documents as pages, and the guides. The pages are made at the first request from the documents as served. */
export const docsRoutes = (http: () => object, socket: () => object, files: DocsFiles): DocsRoutes => {
  // The documents are plain data of their builders, read here in the forms that the pages need.
  const pages = once(() => docsSite(http() as HttpDocument, socket() as SocketDocument, files));
  return {
    overview: defineRoute({
      ...SHARED,
      operationId: 'getDocs',
      path: '/docs',
      summary: 'The API documents as web pages.',
      description: 'An overview, with links to a page per tag, to the guides, and a search.',
      query: { q: { schema: { type: 'string', maxLength: MOST_CHARACTERS }, description: 'Words to search the documents for.' } },
      responses: PAGE,
      handle: async ({ query }) => answer(pages().overview(query.q?.trim() ?? '')),
    }),
    pages: [
      defineRoute({
        ...SHARED,
        operationId: 'getDocsSection',
        path: '/docs/{section}',
        summary: 'A page of the API documents.',
        description: 'Operations of a tag, webhook events, WebSocket messages or schemas.',
        responses: PAGE,
        handle: async ({ params }) => answer(pages().section(params.section)),
      }),
      defineRoute({
        ...SHARED,
        operationId: 'getDocsGuide',
        path: '/docs/guides/{guide}',
        summary: 'A guide.',
        description: 'A file of `docs/guides`.',
        responses: PAGE,
        handle: async ({ params }) => answer(pages().guide(params.guide)),
      }),
    ],
  };
};

/** Builds at the first call. */
export const once = <T>(build: () => T): (() => T) => {
  let built: T | null = null;
  return () => {
    built ??= build();
    return built;
  };
};

const answer = (page: string | null): ApiResponse => {
  if (page === null) throw notFound('page');
  return { status: 200, contentType: CONTENT_TYPE, headers: HEADERS, body: page };
};
