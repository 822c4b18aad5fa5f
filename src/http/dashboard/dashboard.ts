import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { notFound } from '../../domain/problem.ts';
import { type ApiResponse, defineRoute, type Route } from '../route/route.ts';

export interface DashboardSettings {
  /** Folder into which `npm run build` puts `index.html` and `assets/`. */
  readonly folder: string;
  /** The page needs the address of the token endpoint. */
  readonly realm: string;
  /** Whether people sign in with their organisation's account. A key works in both cases. */
  readonly signIn: 'key' | 'organisation';
  /** UPLOAD_MAX_BYTES, which the upload form names. */
  readonly uploadMaxBytes: number;
  /** How long data are kept, which the pages name. 0: until they are deleted, and without a bound. */
  readonly retentionSeconds: { readonly ephemeral: number; readonly persistent: number; readonly longest: number };
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.mp3': 'audio/mpeg',
  '.html': 'text/html; charset=utf-8',
};

/** Nothing inline, nothing from other origins. `blob:` is audio that the page has fetched with its credential. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

// In lower case like helmet's, because it replaces the policy of other answers.
const PAGE_HEADERS = { 'content-security-policy': CONTENT_SECURITY_POLICY, 'Cache-Control': 'no-cache' };
// Their names contain the hash of their content.
const ASSET_HEADERS = { 'Cache-Control': 'public, max-age=31536000, immutable' };
const SHARED = { tag: 'Dashboard', method: 'GET', access: 'open', unlimited: true } as const;

/**
 * The dashboard: one page and its assets. Its places are after the `#`, so that every other path belongs to the API. The files are read once, when
 * the routes are made; a build without the dashboard has none.
 */
export const dashboardRoutes = ({ folder, realm, signIn, uploadMaxBytes, retentionSeconds }: DashboardSettings): readonly Route[] => {
  const page = join(folder, 'index.html');
  if (!existsSync(page)) return [];
  const html = readFileSync(page, 'utf8')
    .replaceAll('%REALM%', () => attributeText(realm))
    .replaceAll('%SIGN_IN%', signIn)
    .replaceAll('%UPLOAD_MAX_BYTES%', String(uploadMaxBytes))
    .replaceAll('%RETENTION_EPHEMERAL_S%', String(retentionSeconds.ephemeral))
    .replaceAll('%RETENTION_PERSISTENT_S%', String(retentionSeconds.persistent))
    .replaceAll('%RETENTION_MAX_S%', String(retentionSeconds.longest));
  const index = answerOf('.html', Buffer.from(html), PAGE_HEADERS);
  const assets = new Map(
    readdirSync(join(folder, 'assets')).map((name) => [
      name,
      answerOf(extname(name), readFileSync(join(folder, 'assets', name)), ASSET_HEADERS),
    ]),
  );
  return [
    defineRoute({
      ...SHARED,
      operationId: 'getDashboard',
      path: '/',
      summary: 'The dashboard.',
      description: 'The dashboard, a page for browsers.',
      responses: { 200: { description: 'Its page.', contentType: 'text/html' } },
      handle: async () => index,
    }),
    defineRoute({
      ...SHARED,
      operationId: 'getDashboardAsset',
      path: '/assets/{name}',
      summary: 'A file of the dashboard.',
      description: 'The file name contains a hash of the content, so the file may be cached indefinitely.',
      responses: { 200: { description: 'The file.' } },
      handle: async ({ params }) => {
        const file = assets.get(params.name);
        if (!file) throw notFound('file');
        return file;
      },
    }),
  ];
};

const answerOf = (extension: string, bytes: Buffer, headers: Readonly<Record<string, string>>): ApiResponse => ({
  status: 200,
  contentType: CONTENT_TYPES[extension] ?? 'application/octet-stream',
  body: bytes,
  headers,
});

const attributeText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
