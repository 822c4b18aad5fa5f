import { notFound } from '../../domain/problem.ts';
import type { AsyncapiDocument } from '../asyncapi/asyncapi.ts';
import { type ApiResponse, defineRoute, type Route } from '../route/route.ts';
import type { DocsFiles } from './files.ts';
import { MOST_CHARACTERS, searchEntries, searched } from './search.ts';
import { guideIndex, guidePage, httpPage, searchPage, webSocketPage } from './site.ts';

/** Nothing inline, nothing from other origins. `data:` are the arrows in the viewer's style. In lower case like helmet's, which it replaces. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'Cache-Control': 'no-cache',
};
const CONTENT_TYPE = 'text/html; charset=utf-8';
const PAGE = { 200: { description: 'The page.', schema: { type: 'string' }, contentType: CONTENT_TYPE } };
const SHARED = { tag: 'Operations', method: 'GET', access: 'open', unlimited: true, responses: PAGE } as const;

/** `/docs`: the viewer of the OpenAPI document, the AsyncAPI document as a page, and the guides. `operations`: those that the former documents. */
export const docsRoutes = (operations: () => readonly Route[], socket: () => AsyncapiDocument, files: DocsFiles) => {
  const entries = once(() => searchEntries(operations(), socket(), files.guides));
  return {
    /** An operation of the API, as documented. */
    overview: defineRoute({
      ...SHARED,
      operationId: 'getDocs',
      path: '/docs',
      summary: 'The API documents as web pages.',
      description: 'A viewer of `/openapi.json` that can send requests, with links to the WebSocket messages, the guides, and a search.',
      query: { q: { schema: { type: 'string', maxLength: MOST_CHARACTERS }, description: 'Words to search the documents for.' } },
      handle: async ({ query: { q = '' } }) =>
        page(q.trim() === '' ? httpPage(files) : searchPage(files, searched(entries(), q), q.trim())),
    }),
    /** Pages for browsers only: they are not in `/openapi.json`. */
    pages: [
      defineRoute({
        ...SHARED,
        operationId: 'getDocsSection',
        path: '/docs/{section}',
        summary: 'A page of the API documents.',
        description: 'The WebSocket messages or the guides; the name of a tag leads to its place in the viewer.',
        handle: async ({ params: { section } }) => {
          if (section === 'websocket') return page(webSocketPage(files, socket()));
          if (section === 'guides') return page(guideIndex(files));
          const tag = [...operations().map((one) => one.tag), 'Webhook events', 'Schemas'].find(
            (one) => one.toLowerCase().replaceAll(' ', '-') === section,
          );
          if (tag === undefined) throw notFound('page');
          return { status: 302, headers: { Location: `/docs#/${encodeURIComponent(tag)}` } };
        },
      }),
      defineRoute({
        ...SHARED,
        operationId: 'getDocsGuide',
        path: '/docs/guides/{guide}',
        summary: 'A guide.',
        description: 'A file of `docs/guides`.',
        handle: async ({ params }) => {
          const guide = files.guides.find(({ name }) => name === params.guide);
          if (!guide) throw notFound('page');
          return page(guidePage(files, guide));
        },
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

const page = (body: string): ApiResponse => ({ status: 200, contentType: CONTENT_TYPE, headers: HEADERS, body });
