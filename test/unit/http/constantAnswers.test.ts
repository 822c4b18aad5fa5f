import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { dashboardRoutes } from '../../../src/http/dashboard/dashboard.ts';
import { apiDocumentRoutes } from '../../../src/http/docs/apiDocuments.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { serve } from './testServer.ts';

const get = (port: number, headers: Record<string, string>, path = '/thing') =>
  new Promise<{ headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    const outgoing = request({ port, path, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => resolve({ headers: answer.headers, body: Buffer.concat(chunks) }));
    });
    outgoing.on('error', reject).end();
  });

test('the API documents are serialised once', async () => {
  const routes = apiDocumentRoutes([], { version: '1.0.0', publicUrl: () => 'http://localhost' });
  for (const [path, query] of [
    ['/openapi.json', { webhooks: true }],
    ['/openapi.json', { webhooks: false }],
    ['/openapi.json', { for: 'clients' }],
    ['/asyncapi.json', {}],
  ] as const) {
    const found = routes.find((one) => one.path === path);
    const answer = async () => {
      const given = await found?.handle({ query } as never);
      return given && 'body' in given ? given.body : null;
    };
    expect(await answer()).toBeInstanceOf(Buffer);
    expect(await answer()).toBe(await answer());
  }
});

test('a large file of the dashboard is compressed, and varies by origin too', async () => {
  const folder = temporaryDirectory();
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), `<meta name="realm" content="%REALM%">${' '.repeat(5_000)}`);
  writeFileSync(join(folder, 'assets', 'page-1.js'), 'short');
  const settings = {
    folder,
    realm: 'a',
    signIn: 'key' as const,
    uploadMaxBytes: 1,
    retentionSeconds: { ephemeral: 1, persistent: 2, longest: 0 },
  };
  const { port } = await serve(dashboardRoutes(settings), { corsOrigins: ['https://else.example'] });
  const page = await get(port, { 'accept-encoding': 'gzip' }, '/');
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-encoding': 'gzip',
    'cache-control': 'no-cache',
    vary: 'Origin, Accept-Encoding',
  });
  expect(gunzipSync(page.body).toString().trim()).toBe('<meta name="realm" content="a">');
  const asset = await get(port, {}, '/assets/page-1.js');
  expect(asset.headers).toMatchObject({ 'content-type': 'text/javascript; charset=utf-8', vary: 'Origin' });
  expect(asset.headers).not.toHaveProperty('content-encoding');
  expect(asset.body.toString()).toBe('short');
});
