import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { call, PING_TEMPLATE, upload } from './client.ts';
import { type RunningServer, startServer } from './server.ts';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ environment: { MAX_CONCURRENT_STREAMS: '1', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } });
});
afterAll(async () => {
  await server.stop();
});

test('the answer to a creation names the URL of the new resource', async () => {
  const made = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' }, 'bytes');
  const endpoint = await call(server.url, '/notification-service/api/v1/webhook-endpoints', {
    method: 'PUT',
    body: { url: 'http://127.0.0.1:9/', events: ['*'] },
  });
  const credential = await call(server.url, '/credential-service/api/v1/credentials', {
    method: 'POST',
    body: { kind: 'api-key', label: 'x', role: 'user' },
  });
  const templates = '/stream-configuration-service/api/v1/stream-configuration-templates';
  const { id: _, ...draft } = (await call(server.url, `${templates}/${PING_TEMPLATE}`)).body;
  const template = await call(server.url, templates, { method: 'PUT', body: { ...draft, name: 'mine' } });
  for (const { status, headers, body } of [made, endpoint, credential, template]) {
    expect([200, 201]).toContain(status);
    const there = await call(server.url, headers.get('location') ?? '');
    expect(there.status).toBe(200);
    expect(there.body.id ?? there.body.streamId).toBe(body.id ?? body.streamId);
  }
  const again = { id: endpoint.body.id, url: 'http://127.0.0.1:9/', events: ['*'] };
  const replaced = await call(server.url, '/notification-service/api/v1/webhook-endpoints', { method: 'PUT', body: again });
  expect(replaced.headers.get('location')).toBeNull();
});

test('wrong credentials get their rate limit in headers, right ones do not', async () => {
  const wrong = await call(server.url, '/stream-service/api/v1/streams', { key: 'wrong' });
  expect(wrong.status).toBe(401);
  expect(wrong.headers.get('ratelimit-policy')).toBe('"wrong-credentials";q=100;w=60');
  expect(wrong.headers.get('ratelimit')).toMatch(/^"wrong-credentials";r=99;t=\d+$/);
  expect((await call(server.url, '/stream-service/api/v1/streams', { key: 'wrong' })).headers.get('ratelimit')).toMatch(/r=98;/);
  expect((await call(server.url, '/stream-service/api/v1/streams')).headers.get('ratelimit')).toBeNull();
  for (let n = 0; n < 98; n++) await call(server.url, '/stream-service/api/v1/streams', { key: 'wrong' });
  const throttled = await call(server.url, '/stream-service/api/v1/streams', { key: 'wrong' });
  expect(throttled.status).toBe(429);
  expect(throttled.headers.get('ratelimit')).toBe(`"wrong-credentials";r=0;t=${throttled.headers.get('retry-after')}`);
});

test('uploads get the number of streams that may still run', async () => {
  const open = new TransformStream<Uint8Array, Uint8Array>();
  const writer = open.writable.getWriter();
  const query = new URLSearchParams({ streamConfigurationTemplateId: PING_TEMPLATE });
  const running = fetch(`${server.url}/http-gateway/api/v1/upload?${query}`, {
    method: 'POST',
    headers: { authorization: 'Basic test-admin-key-0123456789abcdef-0123456789', 'content-type': 'application/octet-stream' },
    body: open.readable,
    duplex: 'half',
  } as RequestInit);
  await writer.write(new Uint8Array(10));
  const refused = await (async () => {
    for (;;) {
      const answer = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'x');
      if (answer.status === 429) return answer;
    }
  })();
  expect(refused.headers.get('ratelimit-policy')).toBe('"concurrent-streams";q=1');
  expect(refused.headers.get('ratelimit')).toBe('"concurrent-streams";r=0');
  await writer.close();
  const done = await running;
  expect(done.headers.get('ratelimit')).toMatch(/^"concurrent-streams";r=[01]$/);
  await done.text();
});

describe('the log of a server', () => {
  let own: RunningServer;
  beforeAll(async () => {
    own = await startServer();
  });
  afterAll(() => own.kill());

  test('a refused request is logged with its path, its claimed caller and the reason', async () => {
    const { body: user } = await call(own.url, '/credential-service/api/v1/credentials', {
      method: 'POST',
      body: { kind: 'api-key', label: 'x', role: 'user' },
    });
    await call(own.url, '/audit-service/api/v1/events', { key: user.secret });
    await call(own.url, '/audit-service/api/v1/events', { key: 'wrong' });
    const said = await eventually(() => {
      const lines = own
        .log()
        .split('\n')
        .filter((line) => line.includes('"/audit-service/api/v1/events"'));
      return lines.length === 2 && lines.map((line) => JSON.parse(line));
    });
    expect(said).toMatchObject([
      { status: 403, subject: user.subject, method: 'GET', correlationId: expect.any(String) },
      { status: 401, subject: null, method: 'GET', correlationId: expect.any(String) },
    ]);
  });

  const INJECTED = '\r\nX-Injected: yes\r\n\r\n{"level":"fatal","msg":"forged"}';

  test('line breaks in a request create no header in an answer and no line in the log', async () => {
    const there = encodeURIComponent(INJECTED);
    const ping = { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' };
    const answers = [
      await call(own.url, `/${there}`),
      await call(own.url, `/stream-service/api/v1/streams/${there}`),
      await call(own.url, `/stream-service/api/v1/streams?name=${there}&${there}=1`),
      await call(own.url, `/stream-service/api/v1/streams?client_id=${there}&client_secret=${there}`, { key: null }),
      await call(own.url, '/realms/tributary/protocol/openid-connect/token', {
        ...{ method: 'POST', key: null },
        body: new URLSearchParams({ grant_type: INJECTED, client_id: INJECTED, client_secret: INJECTED }),
      }),
      await upload(own.url, { ...ping, name: INJECTED }, 'bytes'),
      await upload(own.url, { ...ping, id: INJECTED }, 'bytes'),
      await upload(own.url, { ...ping, webhook: `http://example.com/${INJECTED}` }, 'bytes'),
      // A line break in a header would start another header, so the value here has other control characters only.
      await call(own.url, '/nowhere', {
        headers: { 'x-correlation-id': '%0d%0aX-Injected: yes', origin: 'https://a%0d%0aX-Injected: yes' },
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 400, 401, 400, 200, 400, 400, 404]);
    for (const { headers } of answers) {
      expect(headers.get('x-injected')).toBeNull();
      expect(JSON.stringify([...headers])).not.toContain('X-Injected');
    }
    await own.stop();
    const lines = own.log().split('\n').filter(Boolean);
    expect(lines.length).toBeGreaterThan(answers.length);
    for (const line of lines) expect(JSON.parse(line).msg).not.toBe('forged');
  });
});
