import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ConstantBody } from '../../../src/http/answers/constantBody.ts';
import { dashboardRoutes } from '../../../src/http/dashboard/dashboard.ts';
import { apiDocumentRoutes } from '../../../src/http/docs/apiDocuments.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { route, serve } from './testServer.ts';

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

test('JSON that never changes is serialised once, for plain and compressed answers', async () => {
  let serialised = 0;
  const document = {
    toJSON: () => {
      serialised += 1;
      return { text: 'x'.repeat(10_000) };
    },
  };
  const body = new ConstantBody(() => Buffer.from(JSON.stringify(document)));
  const server = await serve([route({ handle: async () => ({ status: 200, body, contentType: 'application/json' }) })]);
  const [plain, zipped, again] = [
    await get(server.port, {}),
    await get(server.port, { 'accept-encoding': 'gzip' }),
    await get(server.port, { 'accept-encoding': 'gzip' }),
  ];
  expect(plain.headers).toMatchObject({ 'content-type': 'application/json', vary: expect.stringContaining('Accept-Encoding') });
  expect(plain.headers).not.toHaveProperty('content-encoding');
  expect(zipped.headers).toMatchObject({ 'content-type': 'application/json', 'content-encoding': 'gzip' });
  expect(gunzipSync(zipped.body)).toEqual(plain.body);
  expect(again.body).toEqual(zipped.body);
  expect(JSON.parse(plain.body.toString())).toEqual({ text: 'x'.repeat(10_000) });
  expect(serialised).toBe(1);
});

test('compresses JSON again after a failure', async () => {
  let attempts = 0;
  const body = new ConstantBody(
    () => Buffer.from('{}'),
    async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('out of memory');
      return Buffer.from('zipped');
    },
  );
  await expect(body.zipped).rejects.toThrow('out of memory');
  expect((await body.zipped).toString()).toBe('zipped');
  expect((await body.zipped).toString()).toBe('zipped');
  expect(attempts).toBe(2);
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
    expect(await answer()).toBeInstanceOf(ConstantBody);
    expect(await answer()).toBe(await answer());
  }
});

test('a file of the dashboard is compressed, and varies by origin too', async () => {
  const folder = temporaryDirectory();
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<meta name="realm" content="%REALM%">');
  writeFileSync(join(folder, 'assets', 'page-1.js'), 'short');
  const settings = { folder, realm: 'a', uploadMaxBytes: 1, retentionSeconds: { ephemeral: 1, persistent: 2 } };
  const { port } = await serve(dashboardRoutes(settings), { corsOrigins: ['https://else.example'] });
  const page = await get(port, { 'accept-encoding': 'gzip' }, '/');
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-encoding': 'gzip',
    'cache-control': 'no-cache',
    vary: 'Origin, Accept-Encoding',
  });
  expect(gunzipSync(page.body).toString()).toBe('<meta name="realm" content="a">');
  const asset = await get(port, {}, '/assets/page-1.js');
  expect(asset.headers).toMatchObject({ 'content-type': 'text/javascript; charset=utf-8', vary: 'Origin, Accept-Encoding' });
  expect(asset.headers).not.toHaveProperty('content-encoding');
  expect(asset.body.toString()).toBe('short');
});
