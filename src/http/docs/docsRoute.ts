import { createHash } from 'node:crypto';
import type { Route } from '../server/route.ts';
import type { HttpDocument, SocketDocument } from './documents.ts';
import { docsPage } from './page.ts';
import { STYLE } from './style.ts';

/** No script, no request; the style is known by its hash. In lower case, as helmet's, whose place it takes. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cache-Control': 'no-cache',
};

/** `/docs`: both documents for people. The page is made at the first request, of the documents as they are served. */
export const docsRoute = (http: () => object, socket: () => object): Route => {
  let page: string | null = null;
  return {
    operationId: 'getDocs',
    tag: 'Operations',
    method: 'GET',
    path: '/docs',
    summary: 'The API documents as a web page.',
    description: 'The operations, the webhook events and the WebSocket messages.',
    access: 'open',
    responses: { 200: { description: 'The page.', schema: { type: 'string' }, contentType: 'text/html; charset=utf-8' } },
    handle: async () => {
      // The documents are plain data of their builders: read here in the forms that the page needs.
      page ??= docsPage(http() as HttpDocument, socket() as SocketDocument);
      return { status: 200, contentType: 'text/html; charset=utf-8', headers: HEADERS, body: page };
    },
  };
};
