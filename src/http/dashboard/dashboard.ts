import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { notFound } from '../../domain/problem.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../server/route.ts';

export interface DashboardSettings {
  /** Folder into which `npm run build` puts `index.html` and `assets/`. */
  readonly folder: string;
  /** The page needs the address of the token endpoint. */
  readonly realm: string;
  /** UPLOAD_MAX_BYTES, which the upload form names. */
  readonly uploadMaxBytes: number;
  /** RETENTION_EPHEMERAL_S and RETENTION_PERSISTENT_S, which the pages name. */
  readonly retentionSeconds: { readonly ephemeral: number; readonly persistent: number };
}

interface StaticFile {
  readonly contentType: string;
  readonly plain: Uint8Array;
  /** Made at the first request for it: a start does not pay for it. */
  readonly gzipped: () => Promise<Uint8Array>;
}

const gzipOf = promisify(gzip);

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
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
const SHARED = { tag: 'Dashboard', method: 'GET', access: 'open' } as const;

/**
 * The dashboard: one page and its assets. Its places are after the `#`, so that every other path belongs to the API. The files are read once, when
 * the routes are made; a build without the dashboard has none.
 */
export const dashboardRoutes = ({ folder, realm, uploadMaxBytes, retentionSeconds }: DashboardSettings): readonly Route[] => {
  const page = join(folder, 'index.html');
  if (!existsSync(page)) return [];
  const html = readFileSync(page, 'utf8')
    .replaceAll('%REALM%', () => attributeText(realm))
    .replaceAll('%UPLOAD_MAX_BYTES%', String(uploadMaxBytes))
    .replaceAll('%RETENTION_EPHEMERAL_S%', String(retentionSeconds.ephemeral))
    .replaceAll('%RETENTION_PERSISTENT_S%', String(retentionSeconds.persistent));
  const index = staticFile('.html', Buffer.from(html));
  const assets = new Map(
    readdirSync(join(folder, 'assets')).map((name) => [name, staticFile(extname(name), readFileSync(join(folder, 'assets', name)))]),
  );
  return [
    defineRoute({
      ...SHARED,
      operationId: 'getDashboard',
      path: '/',
      summary: 'The dashboard.',
      description: 'The dashboard, a page for browsers.',
      responses: { 200: { description: 'Its page.', contentType: 'text/html' } },
      handle: (request) => answerFile(request, index, PAGE_HEADERS),
    }),
    defineRoute({
      ...SHARED,
      operationId: 'getDashboardAsset',
      path: '/assets/{name}',
      summary: 'A file of the dashboard.',
      description: 'The file name contains a hash of the content, so the file may be cached indefinitely.',
      responses: { 200: { description: 'The file.' } },
      handle: async (request) => {
        const file = assets.get(request.params.name);
        if (!file) throw notFound('file');
        return answerFile(request, file, ASSET_HEADERS);
      },
    }),
  ];
};

const staticFile = (extension: string, plain: Uint8Array): StaticFile => {
  let gzipped: Promise<Uint8Array> | undefined;
  return {
    contentType: CONTENT_TYPES[extension] ?? 'application/octet-stream',
    plain,
    gzipped: () => {
      gzipped ??= gzipOf(plain, { level: 9 });
      return gzipped;
    },
  };
};

const answerFile = async (request: ApiRequest, file: StaticFile, headers: Readonly<Record<string, string>>): Promise<ApiResponse> => {
  const zipped = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(request.header('accept-encoding') ?? '');
  return {
    status: 200,
    contentType: file.contentType,
    body: zipped ? await file.gzipped() : file.plain,
    headers: { ...headers, Vary: 'Accept-Encoding', ...(zipped && { 'Content-Encoding': 'gzip' }) },
  };
};

const attributeText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
