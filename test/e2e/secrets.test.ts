import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, call, PING_TEMPLATE, streamEnd, upload } from './client.ts';
import { embeddedOnly } from './clusterForm.ts';
import { ADMIN_KEY, CLIENT_ID, CLIENT_SECRET, type RunningServer, startServer } from './server.ts';

const CREDENTIALS = '/credential-service/api/v1/credentials';
const ENDPOINTS = '/notification-service/api/v1/webhook-endpoints';
const TOKEN = '/realms/tributary/protocol/openid-connect/token';
const MASTER_KEY = Buffer.alloc(32, 9).toString('base64');

let server: RunningServer;
/** A description and the secret. */
const secrets: Record<string, string> = {
  'the bootstrap API key': ADMIN_KEY,
  'the bootstrap client secret': CLIENT_SECRET,
  'the master key': MASTER_KEY,
};
/** All answers except the first one with a secret. */
const answers: Answer[] = [];

const expectNone = (text: string, where: string): void => {
  for (const [what, secret] of Object.entries(secrets)) expect(text.includes(secret), `${what} in ${where}`).toBe(false);
};

const ask = async (path: string, options?: Parameters<typeof call>[2]): Promise<Answer> => {
  const answer = await call(server.url, path, options);
  answers.push(answer);
  return answer;
};

/** Creates one of each kind of secret, and records it. */
const makeAll = async (): Promise<{ clientId: string; credentialIds: string[] }> => {
  const issue = (kind: string) => call(server.url, CREDENTIALS, { method: 'POST', body: { kind, label: 'kept', role: 'user' } });
  const [{ body: client }, { body: key }] = [await issue('client'), await issue('api-key')];
  const { body: rotated } = await call(server.url, `${CREDENTIALS}/${key.id}/rotate`, { method: 'POST' });
  const exchange = { grant_type: 'client_credentials', client_id: client.clientId, client_secret: client.secret };
  const { body: token } = await call(server.url, TOKEN, { method: 'POST', key: null, body: new URLSearchParams(exchange) });
  const header = 'header-of-an-endpoint-0123456789abcdef';
  const headers = { Authorization: header };
  const settings = { url: 'https://93.184.216.34/hook?token=path-of-an-endpoint', events: ['stream.*'], headers };
  const { body: endpoint } = await call(server.url, ENDPOINTS, { method: 'PUT', body: settings });
  const { body: first } = await call(server.url, `${ENDPOINTS}/${endpoint.id}/secret`);
  const { body: second } = await call(server.url, `${ENDPOINTS}/${endpoint.id}/secret/rotate`, { method: 'POST' });
  const { body: account } = await call(server.url, `${ENDPOINTS}/account-secret`);
  Object.assign(secrets, {
    "a client's secret": client.secret,
    'an API key': key.secret,
    'a rotated API key': rotated.secret,
    'an access token': token.access_token,
    'a signing secret': first.secret,
    'a rotated signing secret': second.secret,
    "an account's signing secret": account.secret,
    'a header of a webhook endpoint': header,
  });
  return { clientId: client.clientId, credentialIds: [client.id, key.id] };
};

/** Errors with a secret in every possible place of a request. */
const goWrong = async (clientId: string): Promise<void> => {
  for (const secret of Object.values(secrets)) {
    const encoded = encodeURIComponent(secret);
    await ask(`/stream-service/api/v1/streams?size=nonsense&client_id=${CLIENT_ID}&client_secret=${encoded}`, { key: null });
    await ask(`/stream-service/api/v1/streams?page=-1&access_token=${encoded}`, { key: null });
    await ask('/stream-service/api/v1/streams', { key: null, headers: { authorization: `Bearer ${secret}x` } });
    await ask('/nowhere', { key: secret });
    const form = { grant_type: 'nonsense', client_id: clientId, client_secret: secret };
    await ask(TOKEN, { method: 'POST', key: null, body: new URLSearchParams(form) });
    await ask(TOKEN, { method: 'POST', key: null, headers: { 'content-type': 'application/json' }, body: `{"client_secret":"${secret}` });
  }
};

beforeAll(async () => {
  server = await startServer({ environment: { MASTER_KEY, LOG_LEVEL: 'trace' } });
  const { clientId, credentialIds } = await makeAll();
  await goWrong(clientId);
  for (const id of credentialIds) await ask(`${CREDENTIALS}/${id}`);
  await ask(CREDENTIALS);
  await ask(`${CREDENTIALS}/self`);
  await ask(`${ENDPOINTS}`);
  const webhook = 'https://93.184.216.34/path-of-a-dynamic-webhook';
  const { body } = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true', webhook }, 'x');
  await streamEnd(server.url, body.streamId);
}, 60_000);
afterAll(() => server.kill());

describe('a secret', () => {
  test('is in no answer after it was shown once, nor in an error about it', () => {
    expect(Object.values(secrets).filter((secret) => secret?.length > 30)).toHaveLength(11);
    expect(answers.filter(({ status }) => status >= 400).length).toBeGreaterThan(40);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    for (const { status, text, headers } of answers) expectNone(text + JSON.stringify([...headers]), `an answer with ${status}`);
  });

  test('is in no event, even in the readable form for auditors', async () => {
    for (const form of ['stored', 'readable']) {
      const { text, body } = await call(server.url, `/audit-service/api/v1/events?size=1000&form=${form}`);
      expect(body.content.length).toBeGreaterThan(10);
      expectNone(text, `the events, ${form}`);
    }
  });

  test('is in no metric', async () => {
    expectNone((await call(server.url, '/metrics', { key: null })).text, 'the metrics');
  });

  test('is not in the most detailed log of the server, nor is the path of a webhook', async () => {
    await server.stop();
    expect(server.log()).toContain('/nowhere');
    expect(server.log()).toContain('/stream-service/api/v1/streams');
    expectNone(server.log() + server.output(), 'the log');
    expect(server.log()).not.toMatch(/path-of-/);
  });

  test.skipIf(embeddedOnly('data directory'))('is in no file, if the master key is kept elsewhere', () => {
    const files = readdirSync(server.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(3);
    for (const { parentPath, name } of files) expectNone(readFileSync(join(parentPath, name), 'latin1'), name);
  });
});
