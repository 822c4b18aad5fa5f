import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { call, PING_TEMPLATE, streamEnd, upload } from './client.ts';
import { ADMIN_KEY, type RunningServer, startServer } from './server.ts';

let server: RunningServer;
let paths: Readonly<Record<string, string>>;
beforeAll(async () => {
  server = await startServer({ environment: { RETENTION_EPHEMERAL_S: '600' } });
  const { body: stream } = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'some bytes');
  await streamEnd(server.url, stream.streamId);
  const endpoints = '/notification-service/api/v1/webhook-endpoints';
  const { body: endpoint } = await call(server.url, endpoints, { method: 'PUT', body: { url: 'https://example.org/', events: ['*'] } });
  paths = {
    'a stream': `/stream-service/api/v1/streams/${stream.streamId}`,
    'a data source': `/stream-service/api/v1/streams/${stream.streamId}/data-source`,
    'a template': `/stream-configuration-service/api/v1/stream-configuration-templates/${PING_TEMPLATE}`,
    'a webhook endpoint': `${endpoints}/${endpoint.id}`,
  };
});
afterAll(() => server.kill());

const read = (of: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  call(server.url, paths[of] ?? '', { method, headers });

describe.each(['a stream', 'a data source', 'a template', 'a webhook endpoint'])('a GET of %s', (of) => {
  test('answers 304 without a body if If-None-Match names its state', async () => {
    const whole = await read(of);
    const etag = whole.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    for (const tags of [etag, `W/${etag}`, `"another", ${etag}`, '*']) {
      const answer = await read(of, { 'if-none-match': tags });
      expect([tags, answer.status, answer.text, answer.headers.get('etag')]).toEqual([tags, 304, '', etag]);
    }
    expect((await read(of, { 'if-none-match': etag }, 'HEAD')).status).toBe(304);
    expect((await read(of, { 'if-none-match': '"another"' })).text).toBe(whole.text);
  });

  test('answers 412 if If-Match names another state', async () => {
    const etag = (await read(of)).headers.get('etag') ?? '';
    for (const tags of [etag, `W/${etag}`, '*', `"another", ${etag}`]) expect((await read(of, { 'if-match': tags })).status).toBe(200);
    for (const tags of ['"another"', 'W/"another"']) {
      const { status, body } = await read(of, { 'if-match': tags });
      expect([status, body.internalErrorName, body.statusCode]).toEqual([412, 'GENERAL_CONFLICT_ERROR', 412]);
    }
    expect((await read(of, { 'if-match': '"another"', 'if-none-match': etag })).status).toBe(412);
  });
});

test('preconditions of a data source are checked before its range', async () => {
  const etag = (await read('a data source')).headers.get('etag') ?? '';
  expect((await read('a data source', { range: 'bytes=0-3' })).text).toBe('some');
  expect((await read('a data source', { range: 'bytes=90-99', 'if-none-match': etag })).status).toBe(304);
  expect((await read('a data source', { range: 'bytes=0-3', 'if-match': '"another"' })).status).toBe(412);
  expect((await read('a data source', { range: 'bytes=90-99' })).status).toBe(416);
});

test('a command whose If-Match does not match stays 409', async () => {
  const headers = { 'if-match': '"another"' };
  expect((await call(server.url, paths['a template'] ?? '', { method: 'PATCH', headers, body: { jsonPatches: [] } })).status).toBe(409);
  expect((await call(server.url, paths['a webhook endpoint'] ?? '', { method: 'DELETE', headers })).status).toBe(409);
});

/** The names of all members, in order. */
const order = (value: unknown): unknown =>
  typeof value !== 'object' || value === null
    ? null
    : Array.isArray(value)
      ? value.map(order)
      : Object.entries(value).map(([name, member]) => [/^(echo|transcriber)-\w{5}$/.test(name) ? 'subscription' : name, order(member)]);

describe('the members of an answer keep their order', () => {
  test('for a stream, from the upload, a read, a list, a cancel and the WebSocket gateway', async () => {
    const uploaded = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'x');
    await streamEnd(server.url, uploaded.body.streamId);
    const found = await call(server.url, `/stream-service/api/v1/streams/${uploaded.body.streamId}`);
    expect(order(found.body)).toEqual(order(uploaded.body));
    const listed = await call(server.url, '/stream-service/api/v1/streams?size=1');
    const { audioLength, credits, advice, warnings, ...shared } = listed.body.content[0];
    expect([audioLength, credits, advice, warnings]).not.toContain(undefined);
    expect(order(shared)).toEqual(order(found.body));
    const query = new URLSearchParams({ streamConfigurationTemplateId: PING_TEMPLATE });
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws-gateway/api/v1?${query}`, {
      headers: { authorization: `Basic ${ADMIN_KEY}` },
    });
    const metadata = await new Promise<string>((resolve) => socket.once('message', (data) => resolve(String(data))));
    socket.close();
    expect(order(JSON.parse(metadata).stream)).toEqual(order(found.body));
  });

  test('for a template, before and after it was saved', async () => {
    const { body: shipped } = await read('a template');
    const templates = '/stream-configuration-service/api/v1/stream-configuration-templates';
    const { body: saved } = await call(server.url, templates, { method: 'PUT', body: { ...shipped, id: null } });
    expect(order(saved)).toEqual(order(shipped));
    expect(order((await call(server.url, `${templates}/${saved.id}?version=1`)).body)).toEqual(order(shipped));
  });
});
