import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { ask, route, serve } from './testServer.ts';

const LARGE = { items: Array.from({ length: 500 }, (_, n) => ({ n, text: 'the same again' })) };
const ROUTES = [
  route({ path: '/large', handle: async () => ({ status: 200, body: LARGE }) }),
  route({ path: '/small', handle: async () => ({ status: 200, body: { a: 1 } }) }),
  route({ path: '/text', handle: async () => ({ status: 200, body: 'x'.repeat(9_000), contentType: 'text/plain' }) }),
  route({ path: '/bytes', handle: async () => ({ status: 200, body: new Uint8Array(9_000), contentType: 'application/octet-stream' }) }),
  route({ path: '/secret', holdsSecret: true, handle: async () => ({ status: 200, body: LARGE }) }),
  route({ path: '/tagged', handle: async () => ({ status: 200, body: LARGE, headers: { ETag: '"1"' } }) }),
  route({
    path: '/streamed',
    handle: async () => ({
      status: 200,
      contentType: 'application/x-ndjson',
      chunks: (async function* () {
        yield 'x'.repeat(9_000);
      })(),
    }),
  }),
  route({ path: '/large', method: 'PUT', handle: async () => ({ status: 204 }) }),
];
const GZIP = { headers: { 'accept-encoding': 'gzip' } };

describe('compression', () => {
  test('makes a large answer smaller for clients that accept it, with Vary', async () => {
    const server = await serve(ROUTES);
    const response = await fetch(`${server.url}/large`, GZIP);
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(await response.json()).toEqual(LARGE);
    for (const refusing of ['', 'identity', 'gzip;q=0', 'zstd']) {
      const plain = await ask(server, 'GET', '/large', { headers: { 'accept-encoding': refusing } });
      expect([plain.headers['content-encoding'], plain.headers.vary, plain.body]).toEqual([undefined, 'Accept-Encoding', LARGE]);
    }
    expect((await fetch(`${server.url}/text`, GZIP)).headers.get('content-encoding')).toBe('gzip');
  });

  test('gives HEAD the headers of GET, but those of a compressed body', async () => {
    const server = await serve(ROUTES);
    const [head, get] = await Promise.all(['HEAD', 'GET'].map((method) => fetch(`${server.url}/large`, { ...GZIP, method })));
    if (!head || !get) throw new Error('no answer');
    for (const name of ['content-type', 'vary']) expect(head.headers.get(name)).toBe(get.headers.get(name));
    expect([head.headers.get('content-encoding'), await head.text()]).toEqual([null, '']);
    await get.text();
  });

  test('leaves small, secret, ETagged, streamed and non-text answers uncompressed', async () => {
    const server = await serve(ROUTES);
    for (const path of ['/small', '/secret', '/tagged', '/streamed', '/bytes']) {
      const { status, headers } = await ask(server, 'GET', path, GZIP);
      expect([path, status, headers['content-encoding'], headers.vary]).toEqual([path, 200, undefined, undefined]);
    }
  });

  test('decompresses to the original', async () => {
    const server = await serve(ROUTES);
    const { default: http } = await import('node:http');
    const raw = await new Promise<Buffer>((resolve) => {
      http.get(`${server.url}/large`, GZIP, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks)));
      });
    });
    expect(raw.length).toBeLessThan(3_000);
    expect(JSON.parse(gunzipSync(raw).toString())).toEqual(LARGE);
  });
});

describe('cross-origin sharing', () => {
  const PAGE = 'https://app.example.com';
  const preflight = { origin: PAGE, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' };

  test('is off by default', async () => {
    const server = await serve(ROUTES);
    const { status, headers } = await ask(server, 'OPTIONS', '/large', { headers: preflight });
    expect([status, headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS, PUT']);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(headers.vary).toBeUndefined();
  });

  test('allows the listed origins by name, and no others', async () => {
    const server = await serve(ROUTES, { corsOrigins: [PAGE, 'http://localhost:3000'] });
    const asked = await ask(server, 'OPTIONS', '/large', { headers: preflight });
    expect(asked.status).toBe(204);
    expect(asked.headers).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-allow-methods': 'GET, HEAD, OPTIONS, PUT',
      'access-control-max-age': '7200',
      vary: 'Origin',
    });
    expect(asked.headers['access-control-allow-headers']).toMatch(
      /Authorization.*Content-Type.*Idempotency-Key.*If-Match.*Tributary-After/,
    );
    expect(asked.headers['access-control-allow-headers']).toMatch(/If-None-Match.*X-Stainless-Lang.*X-Stainless-Timeout/);
    const read = await ask(server, 'GET', '/large', { headers: { origin: PAGE } });
    expect(read.headers['access-control-allow-origin']).toBe(PAGE);
    expect(read.headers['access-control-expose-headers']).toMatch(/ETag.*Location.*RateLimit.*X-Correlation-Id.*X-Stream-Id/);
    expect(read.headers.vary).toBe('Origin, Accept-Encoding');
    for (const origin of ['https://evil.example', 'https://app.example.com.evil.example', 'null', 'https://app.example.com/']) {
      const other = await ask(server, 'GET', '/small', { headers: { origin } });
      expect([origin, other.headers['access-control-allow-origin'], other.headers.vary]).toEqual([origin, undefined, 'Origin']);
      const refused = await ask(server, 'OPTIONS', '/large', { headers: { ...preflight, origin } });
      expect(refused.headers['access-control-allow-methods']).toBeUndefined();
    }
  });

  test('lets a refusal be read too', async () => {
    const server = await serve(ROUTES, { corsOrigins: [PAGE] });
    const { status, headers } = await ask(server, 'GET', '/nothing', { headers: { origin: PAGE } });
    expect([status, headers['access-control-allow-origin']]).toEqual([404, PAGE]);
  });

  test('allows every origin with *, but never credentials', async () => {
    const server = await serve(ROUTES, { corsOrigins: ['*'] });
    const { headers } = await ask(server, 'GET', '/small', { headers: { origin: 'https://anyone.example' } });
    expect([headers['access-control-allow-origin'], headers.vary]).toEqual(['*', undefined]);
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  test('refuses to start with a list that contains an invalid origin', () => {
    expect(readConfig({ CORS_ORIGINS: 'https://a.example, http://localhost:3000' }).corsOrigins).toEqual([
      'https://a.example',
      'http://localhost:3000',
    ]);
    for (const wrong of [
      'a.example',
      'https://a.example/',
      'https://a.example/path',
      'ftp://a.example',
      'https://*.a.example',
      'null',
      ',',
    ])
      expect(() => readConfig({ CORS_ORIGINS: wrong })).toThrow(/CORS_ORIGINS: .* is not an origin/);
  });
});

test('accepts OPTIONS on every path, and HEAD where GET is allowed', async () => {
  const server = await serve(ROUTES);
  expect((await ask(server, 'HEAD', '/small')).status).toBe(200);
  expect((await ask(server, 'OPTIONS', '/small')).headers.allow).toBe('GET, HEAD, OPTIONS');
  expect((await ask(server, 'DELETE', '/small')).status).toBe(405);
  expect((await ask(server, 'OPTIONS', '/nothing')).status).toBe(404);
});
