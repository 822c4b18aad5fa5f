import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from './client.ts';
import { type RunningServer, startServer } from './server.ts';

const DECLARATIONS = '/stream-configuration-service/api/v1/processor-declarations';

let server: RunningServer;
let fake: Server;
let address = '';
let asked: IncomingHttpHeaders[] = [];

beforeAll(async () => {
  fake = createServer((request, response) => {
    asked.push(request.headers);
    request.resume();
    response.writeHead(200, { 'content-type': 'text/plain' }).end('done');
  }).listen(0, '127.0.0.1');
  await once(fake, 'listening');
  address = `http://127.0.0.1:${(fake.address() as AddressInfo).port}/`;
  server = await startServer({ environment: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', SCHEMA_TIMEOUT_MS: '250' } });
});
afterAll(async () => {
  fake.closeAllConnections();
  fake.close();
  await server.kill();
});

const newUser = async (): Promise<string> => {
  const body = { kind: 'api-key', label: 'declarations', role: 'user' };
  return (await call(server.url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body.secret;
};
const declare = (options: { key?: string; query?: string; more?: object } = {}) =>
  call(server.url, `${DECLARATIONS}${options.query ?? ''}`, {
    method: 'PUT',
    ...(options.key !== undefined && { key: options.key }),
    body: { name: 'mine', url: address, mode: 'batch', inputSchema: 'string', outputSchema: 'string', ...options.more },
  });

describe('a processor declared for all users', () => {
  test('can be declared by administrators only', async () => {
    const refused = await declare({ key: await newUser(), query: '?scope=all' });
    expect([refused.status, refused.body.message]).toEqual([403, 'Only an administrator can declare a processor for all users.']);
  });

  test('is used, but neither seen with its url nor changed, by other users', async () => {
    const key = await newUser();
    const { body } = await declare({ query: '?scope=all' });
    const one = `${DECLARATIONS}/${body.id}`;
    expect((await call(server.url, one, { key })).body).toMatchObject({ origin: 'shared', name: 'mine', url: null });
    const { text, body: list } = await call(server.url, `${DECLARATIONS}?size=100`, { key });
    expect(list.content).toContainEqual(expect.objectContaining({ id: body.id, origin: 'shared', url: null }));
    expect(text).not.toContain(address);
    expect((await call(server.url, one)).body).toMatchObject({ origin: 'shared', url: address });
    const used = await call(server.url, `${one}/test`, { method: 'POST', body: { input: 'hi' }, key });
    expect(used.body).toMatchObject({ output: 'done' });
    expect((await call(server.url, one, { method: 'DELETE', key })).status).toBe(403);
    const refused = await call(server.url, `${one}/secret/rotate`, { method: 'POST', key });
    expect([refused.status, refused.body.message]).toEqual([403, 'Only an administrator may change a processor shared by all users.']);
  });
});

test('a request is signed by the new and the previous secret after a rotation', async () => {
  const { body } = await declare();
  const rotated = await call(server.url, `${DECLARATIONS}/${body.id}/secret/rotate`, { method: 'POST' });
  asked = [];
  await call(server.url, `${DECLARATIONS}/${body.id}/test`, { method: 'POST', body: { input: 'hi' } });
  const [headers = {}] = asked;
  const head = JSON.stringify({
    attempt: Number(headers['tributary-attempt']),
    processor: headers['tributary-processor'],
    properties: {},
    runId: headers['tributary-run-id'],
    streamId: headers['tributary-stream-id'],
  });
  const [id, timestamp] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])];
  const signatures = String(headers['webhook-signature']).split(' ');
  expect(signatures).toHaveLength(2);
  for (const [n, secret] of [rotated.body.secret, body.secret].entries()) {
    const signed = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures[n] ?? '' };
    expect(() => new Webhook(secret).verify(head, signed)).not.toThrow();
  }
});

test('the 101st declaration of a user is refused', { timeout: 60_000 }, async () => {
  const key = await newUser();
  for (let n = 0; n < 100; n++) expect((await declare({ key })).status).toBe(201);
  const refused = await declare({ key });
  expect([refused.status, refused.body.internalErrorName]).toEqual([429, 'STREAM_USAGE_LIMIT_REACHED']);
  expect(refused.body.message).toBe('You have reached the limit of 100 processor declarations. Delete one first.');
});

test('a schema that takes longer than SCHEMA_TIMEOUT_MS for its default properties is refused', async () => {
  const levels = Array.from({ length: 40 }, (_, n) => [`l${n}`, { allOf: [{ $ref: `#/$defs/l${n + 1}` }, { $ref: `#/$defs/l${n + 1}` }] }]);
  // Applying it takes two to the power of 40 steps.
  const propertiesJsonSchema = { $ref: '#/$defs/l0', $defs: { ...Object.fromEntries(levels), l40: {} } };
  const { status, body } = await declare({ more: { propertiesJsonSchema } });
  expect([status, body.message]).toEqual([400, expect.stringMatching(/^defaultProperties cannot be checked: it needs too much time/)]);
});

test('a refused url is named, with the setting that would allow it', async () => {
  const { status, body } = await declare({ more: { url: 'http://10.0.0.1/inward' } });
  expect([status, body.message]).toEqual([
    400,
    'url "http://10.0.0.1/inward" is not allowed. It must use http or https and a public address. For a local or private address, start the server with WEBHOOK_ALLOW_CIDRS set to its range, such as 127.0.0.0/8.',
  ]);
});
