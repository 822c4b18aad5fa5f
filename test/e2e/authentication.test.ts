import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, IN_A_SECOND, PATIENCE } from '../eventually.ts';
import { type Answer, type Call, call } from './client.ts';
import { type InProcess, startInProcess } from './inProcess.ts';
import { ADMIN_KEY, CLIENT_ID, CLIENT_SECRET } from './server.ts';

const CREDENTIALS = '/credential-service/api/v1/credentials';
const TOKEN = '/realms/tributary/protocol/openid-connect/token';

const exchange = (url: string, clientId: string, clientSecret: string): Promise<Answer> =>
  call(url, TOKEN, {
    method: 'POST',
    key: null,
    body: new URLSearchParams({ client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' }),
  });

const issue = (url: string, wanted: object, options: Call = {}): Promise<Answer> =>
  call(url, CREDENTIALS, { method: 'POST', body: wanted, ...options });
const bearer = (token: string): Call => ({ key: null, headers: { authorization: `Bearer ${token}` } });
// Any operation shows whether a credential is accepted: one for admins answers others with 403.
const status = async (url: string, options: Call): Promise<number> => (await call(url, CREDENTIALS, options)).status;

describe('the bootstrap administrator', () => {
  test('authenticates by pair, key and token, as one subject', async () => {
    const { url } = await startInProcess();
    const token = (await exchange(url, CLIENT_ID, CLIENT_SECRET)).body.access_token;
    const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString());
    expect(claims).toMatchObject({ iss: `${url}/realms/tributary`, aud: 'tributary', realm_access: { roles: ['admin'] } });
    const answers = [
      await call(url, CREDENTIALS),
      await call(url, CREDENTIALS, bearer(token)),
      await call(url, CREDENTIALS, { key: null, headers: { 'x-client-id': CLIENT_ID, 'x-client-secret': CLIENT_SECRET } }),
      await call(url, `${CREDENTIALS}?access_token=${ADMIN_KEY}`, { key: null }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body.content.map((one: { subject: string }) => one.subject)).toEqual([claims.sub, claims.sub]);
    }
  });
});

describe('the credential service', () => {
  let shared: InProcess;
  beforeAll(async () => {
    shared = await startInProcess();
  });
  afterAll(() => shared.stop());

  test('shows callers their identity, but never the secret', async () => {
    const { url } = shared;
    const { body: issued } = await issue(url, { kind: 'api-key', label: 'Mine', role: 'auditor' });
    const { secret, ...credential } = issued;
    const self = await call(url, `${CREDENTIALS}/self`, { key: secret });
    const { credential: administrator } = (await call(url, `${CREDENTIALS}/self`)).body;
    const shown = { ...credential, issuedBy: administrator.id, lastUsedTimestamp: expect.stringMatching(/:00\.000Z$/) };
    expect([self.status, self.body]).toEqual([200, { subject: issued.subject, roles: ['auditor'], credential: shown }]);
    expect((await call(url, `${CREDENTIALS}/self`, { key: null })).status).toBe(401);
  });

  test('issues a client whose secret works at once and is shown only once', async () => {
    const { url } = shared;
    const issued = await issue(url, { kind: 'client', label: 'My client', role: 'user' });
    expect(issued.status).toBe(201);
    const { id, clientId, secret, subject } = issued.body;
    expect(issued.body).toEqual({
      id: expect.any(String),
      kind: 'client',
      label: 'My client',
      role: 'user',
      subject: expect.stringMatching(/^[0-9a-f-]{36}$/),
      clientId: expect.any(String),
      secret: expect.stringMatching(/^[\w-]{43}$/),
      createdTimestamp: expect.any(String),
      expiresTimestamp: null,
    });
    const token = (await exchange(url, clientId, secret)).body.access_token;
    expect(await status(url, bearer(token))).toBe(403);
    const shown = await call(url, issued.headers.get('location') ?? '');
    const { secret: _, ...rest } = issued.body;
    expect(shown.body).toEqual({ ...rest, issuedBy: expect.any(String), lastUsedTimestamp: expect.stringMatching(/:00\.000Z$/) });
    const list = await call(url, `${CREDENTIALS}?subject=${subject.toUpperCase()}`);
    expect(list.body).toMatchObject({ totalElements: 1, content: [{ id }] });
    expect(list.text).not.toContain(secret);
  });

  test('issues an API key for a given subject, which expires as requested', async () => {
    const { url } = shared;
    const subject = randomUUID();
    const expiresTimestamp = new Date(Date.now() + 2_000 * PATIENCE).toISOString();
    const { body } = await issue(url, { kind: 'api-key', label: 'k', role: 'admin', subject, expiresTimestamp });
    expect(body).toMatchObject({ subject, expiresTimestamp });
    expect(body.clientId).toBeUndefined();
    expect(await status(url, { key: body.secret })).toBe(200);
    await eventually(async () => (await status(url, { key: body.secret })) === 401);
  });

  test('lists credentials by subject, or all of them, or those that the caller has or issued', async () => {
    const { url } = await startInProcess();
    const { body: issued } = await issue(url, { kind: 'api-key', label: 'elsewhere', role: 'user' });
    const labels = async (query: string, options: Call = {}) =>
      (await call(url, CREDENTIALS + query, options)).body.content.map(({ label }: { label: string }) => label).sort();
    const { body: admin } = await issue(url, { kind: 'api-key', label: 'second admin', role: 'admin' });
    await issue(url, { kind: 'api-key', label: 'by the second', role: 'user' }, { key: admin.secret });
    expect(await labels('')).toEqual(['Bootstrap client', 'Bootstrap key', 'elsewhere', 'second admin']);
    expect(await labels('', { key: admin.secret })).toEqual(['by the second', 'second admin']);
    const { body: whole } = await call(url, CREDENTIALS);
    const pages = await Promise.all([0, 1, 2, 3, 4].map((page) => call(url, `${CREDENTIALS}?size=1&page=${page}`)));
    expect(pages.map(({ body }) => [body.totalElements, ...body.content])).toEqual([...whole.content.map((one: object) => [4, one]), [4]]);
    expect(whole.content[0]).toMatchObject({ label: 'second admin' });
    expect(await labels(`?subject=${issued.subject}`)).toEqual(['elsewhere']);
    expect(await labels('?subject=*')).toEqual(['Bootstrap client', 'Bootstrap key', 'by the second', 'elsewhere', 'second admin']);
    expect((await call(url, `${CREDENTIALS}?subject=**`)).status).toBe(400);
    expect((await call(url, `${CREDENTIALS}?subject=*`, { key: issued.secret })).status).toBe(403);
  });

  test('replaces the secret by a rotation, which ends the tokens of the old one', async () => {
    const { url } = shared;
    const { body } = await issue(url, { kind: 'client', label: 'c', role: 'admin' });
    const old = (await exchange(url, body.clientId, body.secret)).body.access_token;
    expect(await status(url, bearer(old))).toBe(200);
    const rotated = await call(url, `${CREDENTIALS}/${body.id}/rotate`, { method: 'POST' });
    expect(rotated.status).toBe(200);
    expect(rotated.body).toMatchObject({ id: body.id, clientId: body.clientId });
    expect((await exchange(url, body.clientId, rotated.body.secret)).status).toBe(200);
    expect((await exchange(url, body.clientId, body.secret)).body.error).toBe('invalid_client');
    expect(await status(url, bearer(old))).toBe(401);
  });

  test('revokes a credential and all its tokens within one second, and removes it', async () => {
    const { url } = shared;
    const { body } = await issue(url, { kind: 'client', label: 'c', role: 'admin' });
    const token = (await exchange(url, body.clientId, body.secret)).body.access_token;
    expect(await status(url, bearer(token))).toBe(200);
    expect((await call(url, `${CREDENTIALS}/${body.id}`, { method: 'DELETE' })).status).toBe(204);
    await eventually(async () => (await status(url, bearer(token))) === 401, IN_A_SECOND);
    expect((await exchange(url, body.clientId, body.secret)).status).toBe(401);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/rotate'],
    ])
      expect((await call(url, `${CREDENTIALS}/${body.id}${path}`, { method: method ?? '' })).status).toBe(404);
  });

  test('records every change as an event of the subject, without the secret', async () => {
    const { url, platform } = shared;
    const { body } = await issue(url, { kind: 'api-key', label: 'c', role: 'user' });
    const rotated = await call(url, `${CREDENTIALS}/${body.id}/rotate`, { method: 'POST' });
    await call(url, `${CREDENTIALS}/${body.id}`, { method: 'DELETE' });
    const events = await platform.log.readStream(`credentials-${body.subject}`);
    expect(events.map(({ type }) => type)).toEqual(['CredentialIssued', 'CredentialRotated', 'CredentialRevoked']);
    const text = JSON.stringify(events.map(({ data }) => data));
    expect(text).not.toContain(body.secret);
    expect(text).not.toContain(rotated.body.secret);
  });

  test.each([
    [{ kind: 'other', label: 'x', role: 'user' }, 'kind'],
    [{ kind: 'client', label: '', role: 'user' }, 'label'],
    [{ kind: 'client', label: 'x', role: 'root' }, 'role'],
    [{ kind: 'client', label: 'x' }, 'role'],
    [{ kind: 'client', label: 'x', role: 'user', subject: 'me' }, 'subject'],
    [{ kind: 'client', label: 'x', role: 'user', expiresTimestamp: 'tomorrow' }, 'expiresTimestamp'],
    [{ kind: 'client', label: 'x', role: 'user', expiresTimestamp: '2020-01-01T00:00:00Z' }, 'expiresTimestamp'],
    [{ kind: 'client', label: 'x', role: 'user', expiresTimestamp: '2030-06-30T23:59:60Z' }, 'expiresTimestamp'],
  ])('refuses %o, names the field, and stores nothing', async (wanted, field) => {
    const { url, platform } = shared;
    const before = await platform.log.head();
    const { status, body } = await issue(url, wanted);
    expect(status).toBe(400);
    expect(body.internalErrorName).toBe('GENERAL_VALIDATION_ERROR');
    expect(body.nestedErrors).toHaveLength(1);
    expect(body.nestedErrors[0].message).toContain(field);
    expect(await platform.log.head()).toBe(before);
  });

  test('is for admins: other roles are 403, no credential is 401, and an unknown id is 404', async () => {
    const { url } = shared;
    const { body } = await issue(url, { kind: 'api-key', label: 'c', role: 'auditor' });
    expect((await issue(url, { kind: 'api-key', label: 'c', role: 'admin' }, { key: body.secret })).status).toBe(403);
    expect((await issue(url, { kind: 'api-key', label: 'c', role: 'admin' }, { key: null })).status).toBe(401);
    for (const id of [randomUUID(), 'x', '..%2f..', '__proto__'])
      expect((await call(url, `${CREDENTIALS}/${id}`, { method: 'DELETE' })).status).toBe(404);
  });
});
