import { notFound } from '../../domain/problem.ts';
import { type ApiResponse, defineRoute, type Route } from '../server/route.ts';
import type { DocsFiles } from './files.ts';
import { MOST_CHARACTERS } from './search.ts';
import { guideIndex, guidePage, type HttpDocument, httpPage, type SocketDocument, searchEntries, searchPage, webSocketPage } from './site.ts';

/** Nothing inline, nothing from other origins. `data:` are the arrows in the viewer's style. In lower case like helmet's, which it replaces. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
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

/** `/docs`: the viewer of the OpenAPI document, the AsyncAPI document as a page, and the guides. */
export const docsRoutes = (http: () => object, socket: () => object, files: DocsFiles): DocsRoutes => {
  // The documents are plain data of their builders, read here in the forms that the pages need.
  const sockets = () => socket() as SocketDocument;
  const entries = once(() => searchEntries(http() as HttpDocument, sockets(), files));
  const sections: Readonly<Record<string, () => string>> = { websocket: () => webSocketPage(files, sockets()), guides: () => guideIndex(files) };
  return {
    overview: defineRoute({
      ...SHARED,
      operationId: 'getDocs',
      path: '/docs',
      summary: 'The API documents as web pages.',
      description: 'A viewer of `/openapi.json` that can send requests, with links to the WebSocket messages, the guides, and a search.',
      query: { q: { schema: { type: 'string', maxLength: MOST_CHARACTERS }, description: 'Words to search the documents for.' } },
      responses: PAGE,
      handle: async ({ query: { q = '' } }) => page(q.trim() === '' ? httpPage(files) : searchPage(files, entries(), q.trim())),
    }),
    pages: [
      defineRoute({
        ...SHARED,
        operationId: 'getDocsSection',
        path: '/docs/{section}',
        summary: 'A page of the API documents.',
        description: 'The WebSocket messages or the guides; the name of a tag leads to its place in the viewer.',
        responses: PAGE,
        handle: async ({ params: { section } }) => {
          const make = Object.hasOwn(sections, section) ? sections[section] : undefined;
          return make ? page(make()) : placeInViewer(http() as HttpDocument, section);
        },
      }),
      defineRoute({
        ...SHARED,
        operationId: 'getDocsGuide',
        path: '/docs/guides/{guide}',
        summary: 'A guide.',
        description: 'A file of `docs/guides`.',
        responses: PAGE,
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

/** `/docs/live-gateway` leads to the tag "Live gateway", and `/docs/webhook-events` to the first event. */
const placeInViewer = ({ tags, webhooks }: HttpDocument, section: string): ApiResponse => {
  const tag = tags.find(({ name }) => name.toLowerCase().replaceAll(/[^a-z]+/g, '-') === section)?.name;
  if (tag === undefined) throw notFound('page');
  const event = Object.values(webhooks).flatMap((item) => Object.values(item)).find(({ tags: [own] }) => own === tag);
  return { status: 302, headers: { Location: event ? `/docs#/webhooks/${event.operationId}` : `/docs#/${encodeURIComponent(tag)}` } };
};
