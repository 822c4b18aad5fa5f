import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ConstantJson } from '../../../src/http/answers/constantJson.ts';
import { apiDocumentRoutes } from '../../../src/http/docs/apiDocuments.ts';
import { route, serve } from './testServer.ts';

const get = (port: number, headers: Record<string, string>) =>
  new Promise<{ headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    const outgoing = request({ port, path: '/thing', headers, agent: false }, (answer) => {
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
  const body = new ConstantJson(document);
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
  const body = new ConstantJson({}, async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('out of memory');
    return Buffer.from('zipped');
  });
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
    expect(await answer()).toBeInstanceOf(ConstantJson);
    expect(await answer()).toBe(await answer());
  }
});
