import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign as signData } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { type CryptoKey, exportJWK, exportSPKI, SignJWT } from 'jose';
import { v5 as uuidv5 } from 'uuid';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Role } from '../../../src/domain/credentials/events.ts';
import { Authentication } from '../../../src/http/auth/authentication.ts';
import { CredentialDirectory } from '../../../src/http/auth/credentialDirectory.ts';
import { type OutsideIssuerSettings, outsideIssuer } from '../../../src/http/auth/outsideIssuer.ts';
import { presentedCredential } from '../../../src/http/auth/presentedCredential.ts';
import { SessionCookie } from '../../../src/http/auth/sessionCookie.ts';
import { WrongCredentialThrottle } from '../../../src/http/auth/throttle.ts';
import { tokenRoutes } from '../../../src/http/auth/tokenRoutes.ts';
import { Tokens } from '../../../src/http/auth/tokens.ts';
import { proxyTrust } from '../../../src/http/limits/clientAddress.ts';
import { RawQuery } from '../../../src/http/query/rawQuery.ts';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import type { CredentialDocument } from '../../../src/projections/credentials.ts';
import type { Keys } from '../../../src/stores/keys/openKeys.ts';
import { MemoryReadModels } from '../../fakes/memoryReadModels.ts';
import { MemorySigningKeys } from '../../fakes/memorySigningKeys.ts';
import { ManualClock } from '../../manualClock.ts';
import { type Answered, ask, route, serve } from './testServer.ts';

const ISSUER = 'http://tributary.test/realms/tributary';
const TOKEN_PATH = '/realms/tributary/protocol/openid-connect/token';
const KEY = 'an-api-key-of-forty-three-characters-012345';
const CLIENT = { id: 'client-1', secret: 'client-secret-0123456789abcdef012345678' };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const base64 = (text: string): string => Buffer.from(text).toString('base64');

let clock: ManualClock;
let readModels: MemoryReadModels;
let keys: MemorySigningKeys;
let server: Awaited<ReturnType<typeof serve>>;

const put = (given: Partial<CredentialDocument> & { secretHash: string }): CredentialDocument => {
  const document: CredentialDocument = {
    credentialId: randomUUID(),
    subject: randomUUID(),
    kind: 'client',
    label: 'x',
    role: 'user',
    clientId: null,
    generation: 1,
    createdTimestamp: '2026-01-01T00:00:00.000Z',
    expiresTimestamp: null,
    revoked: false,
    revokedTimestamp: null,
    issuedBy: 'test',
    revision: '0',
    ...given,
  };
  readModels.put('credentials', document.credentialId, document);
  return document;
};

const start = async (outside: OutsideIssuerSettings | null = null, trust: boolean | number = false): Promise<void> => {
  // Only what tokens need of the vault.
  const vault = keys as unknown as Keys;
  const issuer = () => ISSUER;
  tokens = new Tokens({ keys: vault, clock, issuer, outside: outside ? outsideIssuer(outside, clock) : null });
  const directory = new CredentialDirectory(readModels, clock);
  const uses = {
    note: ({ credentialId }: { credentialId: string }) => used.push(credentialId),
    wasUsedSince: async (_id: string, time: number) => lastUse >= time,
  };
  authentication = new Authentication({
    directory,
    tokens,
    throttle: new WrongCredentialThrottle(),
    trusts: proxyTrust(trust),
    uses,
    cookie: new SessionCookie(() => publicUrl),
    clock,
  });
  const whoami = route({ path: '/me', access: 'authenticated', handle: async ({ caller }) => ({ status: 200, body: caller }) });
  const routes = [whoami, ...tokenRoutes({ limits: DEFAULT_LIMITS, realm: 'tributary', issuer, authentication, tokens, keys: vault })];
  server = await serve(routes, { authenticate: authentication.authenticate, clock });
};

let publicUrl = 'http://tributary.test';
let lastUse = 0;
/** Ids of credentials whose use was noted. */
let used: string[] = [];
let authentication: Authentication;
let tokens: Tokens;
let client: CredentialDocument;
let apiKey: CredentialDocument;

beforeEach(async () => {
  clock = new ManualClock();
  used = [];
  publicUrl = 'http://tributary.test';
  lastUse = 0;
  readModels = new MemoryReadModels();
  keys = new MemorySigningKeys();
  client = put({ clientId: CLIENT.id, secretHash: sha256(CLIENT.secret), role: 'gateway' });
  apiKey = put({ kind: 'api-key', secretHash: sha256(KEY), role: 'admin' });
  await start();
});

const me = (headers: Record<string, string> = {}, query = ''): Promise<Answered> => ask(server, 'GET', `/me${query}`, { headers });

const exchange = (form: Record<string, string> | string, headers: Record<string, string> = {}): Promise<Answered> =>
  ask(server, 'POST', TOKEN_PATH, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
  });

const FORM = { client_id: CLIENT.id, client_secret: CLIENT.secret, grant_type: 'client_credentials' };
const newToken = async (): Promise<string> => (await exchange(FORM)).body.access_token;

test('records the use of an accepted credential or its token, but not of a refused one', async () => {
  await me({ authorization: `Basic ${KEY}` });
  expect(used).toEqual([apiKey.credentialId]);
  const token = await newToken();
  await me({ authorization: `Bearer ${token}` });
  expect(used).toEqual([apiKey.credentialId, client.credentialId, client.credentialId]);
  await me({ authorization: 'Basic wrong' });
  await exchange({ ...FORM, client_secret: 'wrong' });
  expect(used).toHaveLength(3);
});

describe('a session of the dashboard', () => {
  const TOKEN = 'a-session-token-of-forty-three-characters-0';
  const cookie = { cookie: `other=1; tributary-session=${TOKEN}` };

  beforeEach(() => {
    put({ kind: 'session', secretHash: sha256(TOKEN), createdTimestamp: new Date(clock.now()).toISOString() });
  });

  test('lasts 12 hours after its last use', async () => {
    expect((await me(cookie)).status).toBe(200);
    await clock.advance(12 * 3_600_000 - 1_000);
    expect((await me(cookie)).status).toBe(200);
    await clock.advance(1_000);
    expect((await me(cookie)).body.message).toBe('Your session has ended. Sign in again.');
    lastUse = clock.now() - 11 * 3_600_000;
    expect((await me(cookie)).status).toBe(200);
  });

  test('has a cookie for https only where the server is reached by https', async () => {
    publicUrl = 'https://tributary.test';
    expect((await me(cookie)).status).toBe(401);
    expect((await me({ cookie: `__Host-tributary-session=${TOKEN}` })).status).toBe(200);
    expect(new SessionCookie(() => publicUrl).start('x')).toBe('__Host-tributary-session=x; Path=/; HttpOnly; SameSite=Lax; Secure');
  });

  test('is no API key, and an API key is no session', async () => {
    expect((await me({ authorization: `Basic ${TOKEN}` })).status).toBe(401);
    expect((await me({ cookie: `tributary-session=${KEY}` })).status).toBe(401);
  });
});

describe('authentication', () => {
  const pair = base64(`${CLIENT.id}:${CLIENT.secret}`);

  test.each<[string, Record<string, string>, string, 'client' | 'key']>([
    ['a raw API key behind Basic', { authorization: `Basic ${KEY}` }, '', 'key'],
    ['an API key behind Bearer', { authorization: `Bearer ${KEY}` }, '', 'key'],
    ['an API key as the name of a user without a password', { authorization: `Basic ${base64(`${KEY}:`)}` }, '', 'key'],
    ['the scheme in any case', { authorization: `bASIC ${KEY}` }, '', 'key'],
    ['a pair in base64 behind Basic', { authorization: `Basic ${pair}` }, '', 'client'],
    ['the X-Client headers', { 'x-client-id': CLIENT.id, 'x-client-secret': CLIENT.secret }, '', 'client'],
    ['the pair in the query', {}, `?client_id=${CLIENT.id}&client_secret=${CLIENT.secret}`, 'client'],
    ['percent-encoded names', {}, `?client%5Fid=${CLIENT.id}&client%5fsecret=${CLIENT.secret}`, 'client'],
    ['an API key in the query', {}, `?access_token=${KEY}`, 'key'],
    ['the header before the query', { authorization: `Basic ${KEY}` }, '?client_id=x&client_secret=y', 'key'],
  ])('accepts %s', async (_what, headers, query, whose) => {
    const answer = await me(headers, query);
    const { subject, credentialId, role } = whose === 'key' ? apiKey : client;
    expect(answer.body).toEqual({ subject, actor: credentialId, roles: [role] });
  });

  test('accepts an access token in the header and in the query', async () => {
    const token = await newToken();
    for (const answer of [await me({ authorization: `Bearer ${token}` }), await me({}, `?access_token=${token}`)])
      expect(answer.body).toEqual({ subject: client.subject, actor: client.credentialId, roles: ['gateway'] });
  });

  test.each<[string, Record<string, string>, string]>([
    ['nothing', {}, ''],
    ['an unknown key', { authorization: 'Basic unknown' }, ''],
    [
      'a wrong first form before a right one',
      { authorization: 'Basic unknown', 'x-client-id': CLIENT.id, 'x-client-secret': CLIENT.secret },
      `?access_token=${KEY}`,
    ],
    ['wrong headers before a right query', { 'x-client-id': 'x', 'x-client-secret': 'y' }, `?access_token=${KEY}`],
    ['an empty Authorization before a right query', { authorization: '' }, `?access_token=${KEY}`],
    ['a client id alone', { 'x-client-id': CLIENT.id }, ''],
    ['a client secret alone', { 'x-client-secret': CLIENT.secret }, ''],
    ['a client id alone in the query', {}, `?client_id=${CLIENT.id}`],
    ['a token given twice', {}, `?access_token=${KEY}&access_token=${KEY}`],
    ['another scheme', { authorization: `Digest ${KEY}` }, ''],
    ["a client's secret as a key", { authorization: `Basic ${CLIENT.secret}` }, ''],
    ['a wrong secret', { authorization: `Basic ${base64(`${CLIENT.id}:nope`)}` }, ''],
    ['the hash of the secret', { authorization: `Basic ${sha256(KEY)}` }, ''],
    ['rubbish', { authorization: 'Basic %%%' }, ''],
  ])('answers %s with 401 and a challenge', async (_what, headers, query) => {
    const answer = await me(headers, query);
    expect(answer.status).toBe(401);
    expect(answer.body.internalErrorName).toBe('GENERAL_AUTHENTICATION_ERROR');
    expect(answer.headers['www-authenticate']).toContain('Bearer');
  });

  test('reads any headers and query without failing, and never as a valid credential', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('Basic', 'Bearer ', 'Basic  ', KEY.slice(1), 'client_id=', 'access_token=%', '&', '=', '%zz'),
    );
    fc.assert(
      fc.property(
        fc.option(text, { nil: undefined }),
        fc.option(text, { nil: undefined }),
        fc.array(text, { maxLength: 6 }),
        (authorization, id, query) => {
          const headers = { ...(authorization === undefined ? {} : { authorization }), ...(id === undefined ? {} : { 'x-client-id': id }) };
          const presented = presentedCredential(headers, new RawQuery(query.join('')));
          expect(JSON.stringify(presented)).not.toContain(KEY);
          if (authorization !== undefined) expect(['malformed', 'jwt', 'basic']).toContain(presented.form);
          else if (id !== undefined) expect(presented.form).toBe('malformed');
        },
      ),
    );
  });

  test('answers 401 or 429 to any random Authorization header, never 500', async () => {
    const printable = fc.stringMatching(/^[!-~ ]{0,60}$/);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('Basic ', 'Bearer ', 'basic eyJ', ''), printable, async (scheme, value) => {
        expect([401, 429]).toContain((await me({ authorization: scheme + value })).status);
      }),
      { numRuns: 150 },
    );
  });
});

describe('a credential', () => {
  const BASIC = { authorization: `Basic ${KEY}` };

  test('works at once when just issued, even after a premature try', async () => {
    expect((await me({ authorization: 'Basic early' })).status).toBe(401);
    put({ kind: 'api-key', secretHash: sha256('early') });
    expect((await me({ authorization: 'Basic early' })).status).toBe(200);
  });

  test('stops within half a second of its revocation, with all tokens made from it', async () => {
    const bearer = { authorization: `Bearer ${await newToken()}` };
    expect([(await me(BASIC)).status, (await me(bearer)).status]).toEqual([200, 200]);
    readModels.put('credentials', apiKey.credentialId, { ...apiKey, revoked: true });
    readModels.put('credentials', client.credentialId, { ...client, revoked: true });
    await clock.advance(500);
    expect([(await me(BASIC)).status, (await me(bearer)).status]).toEqual([401, 401]);
    expect((await exchange(FORM)).status).toBe(401);
  });

  test('works with its new secret at once when rotated, and no longer with the old one and its tokens', async () => {
    const bearer = { authorization: `Bearer ${await newToken()}` };
    expect((await me(bearer)).status).toBe(200);
    readModels.put('credentials', client.credentialId, { ...client, generation: 2, secretHash: sha256('new') });
    expect((await exchange({ ...FORM, client_secret: 'new' })).status).toBe(200);
    await clock.advance(500);
    expect((await me(bearer)).status).toBe(401);
    expect((await exchange(FORM)).status).toBe(401);
  });

  test('stops at its expiry, with all its tokens', async () => {
    readModels.put('credentials', client.credentialId, { ...client, expiresTimestamp: new Date(clock.now() + 1_000).toISOString() });
    const bearer = { authorization: `Bearer ${await newToken()}` };
    await clock.advance(999);
    expect((await me(bearer)).status).toBe(200);
    await clock.advance(1);
    expect((await me(bearer)).status).toBe(401);
  });

  test('has its current role, not the role in the token', async () => {
    const token = await newToken();
    readModels.put('credentials', client.credentialId, { ...client, role: 'auditor' });
    await clock.advance(500);
    expect((await me({ authorization: `Bearer ${token}` })).body.roles).toEqual(['auditor']);
  });
});

describe('wrong credentials', () => {
  test('get 429 with Retry-After above 100 a minute, without throttling right ones or other clients', async () => {
    const wrong = { 'x-client-id': CLIENT.id, 'x-client-secret': 'wrong' };
    const statuses = [];
    for (let n = 0; n < 101; n++) statuses.push((await me(wrong)).status);
    expect(statuses.slice(0, 100).every((status) => status === 401)).toBe(true);
    expect(statuses[100]).toBe(429);
    const refused = await me(wrong);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.body).toMatchObject({ statusCode: 429, nestedErrors: [] });
    expect((await me({ 'x-client-id': CLIENT.id, 'x-client-secret': CLIENT.secret })).status).toBe(200);
    expect((await me({ ...wrong, 'x-client-id': 'another' })).status).toBe(401);
    expect((await exchange({ ...FORM, client_secret: 'wrong' })).status).toBe(429);
    const encoded = base64(`${CLIENT.id.replaceAll('-', '%2D')}:wrong`);
    expect((await exchange({ grant_type: 'client_credentials' }, { authorization: `Basic ${encoded}` })).status).toBe(429);
  });

  test('are counted by the address from a trusted proxy only', async () => {
    await start(null, 1);
    const wrong = (address: string) => me({ authorization: 'Basic wrong', 'x-forwarded-for': `6.6.6.6, ${address}` });
    for (let n = 0; n < 101; n++) await wrong('10.0.0.1');
    expect((await wrong('10.0.0.1')).status).toBe(429);
    expect((await wrong('10.0.0.2')).status).toBe(401);
  });
});

describe('the token endpoint', () => {
  test('returns a token that is valid for exactly 600 seconds', async () => {
    const answer = await exchange(FORM);
    expect(answer.body).toEqual({ access_token: expect.any(String), expires_in: 600, token_type: 'Bearer' });
    expect(answer.headers['cache-control']).toBe('no-store');
    const bearer = { authorization: `Bearer ${answer.body.access_token}` };
    await clock.advance(599_000);
    expect((await me(bearer)).status).toBe(200);
    await clock.advance(1_000);
    expect((await me(bearer)).status).toBe(401);
  });

  test.each<[string, Record<string, string> | string, Record<string, string>, number, string]>([
    ['a wrong secret', { ...FORM, client_secret: 'x' }, {}, 401, 'invalid_client'],
    ['an unknown client', { ...FORM, client_id: 'x' }, {}, 401, 'invalid_client'],
    ['an API key for a pair', { ...FORM, client_secret: KEY }, {}, 401, 'invalid_client'],
    ['another grant', { ...FORM, grant_type: 'password' }, {}, 400, 'unsupported_grant_type'],
    ['no grant', { client_id: 'a', client_secret: 'b' }, {}, 400, 'invalid_request'],
    ['no client id', { client_secret: 'b', grant_type: 'client_credentials' }, {}, 400, 'invalid_request'],
    ['no secret', { client_id: 'b', grant_type: 'client_credentials' }, {}, 400, 'invalid_request'],
    ['a field twice', `${new URLSearchParams(FORM)}&client_id=${CLIENT.id}`, {}, 400, 'invalid_request'],
    ['nothing', '', {}, 400, 'invalid_request'],
    ['a form of 21 fields', `${new URLSearchParams(FORM)}${'&a=b'.repeat(18)}`, {}, 400, 'invalid_request'],
    [
      'a form of 21 fields of different names',
      `${new URLSearchParams(FORM)}${Array.from({ length: 18 }, (_, n) => `&a${n}`).join('')}`,
      {},
      400,
      'invalid_request',
    ],
    ['two different pairs', FORM, { authorization: `Basic ${base64('other:pair')}` }, 400, 'invalid_request'],
    ['a header that is no pair', FORM, { authorization: 'Basic !!' }, 401, 'invalid_client'],
  ])('answers %s with %o', async (_what, form, headers, status, error) => {
    const answer = await exchange(form, headers);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error, error_description: expect.any(String) });
  });

  test('accepts a form of 20 fields, and refuses one over 8 KB with 413', async () => {
    expect((await exchange(`${new URLSearchParams(FORM)}${'&a=b'.repeat(17)}`)).status).toBe(200);
    expect((await exchange({ ...FORM, padding: 'x'.repeat(8_192) })).status).toBe(413);
  });

  test('accepts the pair as HTTP Basic, alone or with the same pair in the form', async () => {
    const headers = { authorization: `Basic ${base64(`${CLIENT.id}:${CLIENT.secret}`)}` };
    expect((await exchange({ grant_type: 'client_credentials' }, headers)).status).toBe(200);
    expect((await exchange(FORM, headers)).status).toBe(200);
  });

  test('accepts a form-encoded pair in HTTP Basic, as RFC 6749 (2.3.1) allows', async () => {
    const encoded = (text: string) =>
      text.replace(/[^A-Za-z0-9]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
    const basic = (id: string, secret: string) => ({ authorization: `Basic ${base64(`${id}:${secret}`)}` });
    const grant = { grant_type: 'client_credentials' };
    const headers = basic(encoded(CLIENT.id), encoded(CLIENT.secret));
    for (const form of [grant, { ...grant, client_id: CLIENT.id }, FORM]) expect((await exchange(form, headers)).status).toBe(200);
    expect((await exchange({ ...grant, client_id: 'other' }, headers)).body.error).toBe('invalid_request');
    expect((await exchange(grant, basic(encoded(CLIENT.id), 'x%2By'))).body.error).toBe('invalid_client');
    const plain = { id: 'client 2', secret: '100% +secret and %41' };
    put({ clientId: plain.id, secretHash: sha256(plain.secret) });
    expect((await exchange(grant, basic(plain.id, plain.secret))).status).toBe(200);
    expect((await exchange(grant, basic(encoded(plain.id), encoded(plain.secret)))).status).toBe(200);
  });

  test('ignores a header of another scheme, such as an old token', async () => {
    expect((await exchange(FORM, { authorization: 'Bearer expired.long.ago' })).status).toBe(200);
    expect((await exchange({ grant_type: 'client_credentials' }, { authorization: 'Bearer expired.long.ago' })).body.error).toBe(
      'invalid_request',
    );
  });

  test('answers an unknown realm, a wrong method and a wrong content type with a documented error', async () => {
    const answers = [
      await ask(server, 'POST', TOKEN_PATH.replace('tributary', 'other'), {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'a=b',
      }),
      await ask(server, 'POST', TOKEN_PATH.replace('tributary', 'other'), { headers: { 'content-type': 'application/json' }, body: '{}' }),
      await ask(server, 'GET', TOKEN_PATH),
      await ask(server, 'POST', TOKEN_PATH, { headers: { 'content-type': 'application/json' }, body: '{}' }),
    ];
    expect(answers.map(({ status, body }) => [status, body.statusCode])).toEqual([
      [404, 404],
      [404, 404],
      [405, 405],
      [415, 415],
    ]);
  });

  test('publishes its keys without their private parts, and their address', async () => {
    await newToken();
    const { body } = await ask(server, 'GET', '/realms/tributary/protocol/openid-connect/certs');
    expect(body.keys).toEqual([
      { kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String), kid: expect.any(String), alg: 'ES256', use: 'sig' },
    ]);
    const discovery = await ask(server, 'GET', '/realms/tributary/.well-known/openid-configuration');
    expect(discovery.body).toMatchObject({ issuer: ISSUER, token_endpoint: `http://tributary.test${TOKEN_PATH}` });
    expect((await ask(server, 'GET', '/realms/other/.well-known/openid-configuration')).status).toBe(404);
  });

  test('signs with a rotated key at once; tokens of the old key stay valid while it is accepted', async () => {
    const bearer = { authorization: `Bearer ${await newToken()}` };
    await me(bearer);
    await keys.rotateSigningKey();
    expect((await me({ authorization: `Bearer ${await newToken()}` })).status).toBe(200);
    expect((await me(bearer)).status).toBe(200);
    keys.forgetOldKeys();
    await clock.advance(60_000);
    expect((await me(bearer)).status).toBe(401);
  });
});

interface Forged {
  algorithm?: string;
  header?: Record<string, unknown>;
  claims?: Record<string, unknown>;
  key?: KeyObject | CryptoKey | Uint8Array;
}

describe('our own tokens', () => {
  const forge = async ({ algorithm = 'ES256', header = {}, claims = {}, key }: Forged): Promise<string> => {
    const own = await keys.signingKey();
    const now = Math.floor(clock.now() / 1000);
    const { credentialId, subject, generation } = client;
    const payload = { iss: ISSUER, aud: 'tributary', sub: subject, exp: now + 60, credential_id: credentialId, generation, ...claims };
    return new SignJWT(JSON.parse(JSON.stringify(payload)))
      .setProtectedHeader({ alg: algorithm, kid: own.kid, ...header })
      .sign(key ?? own.privateKey);
  };
  const status = async (token: string): Promise<number> => (await me({ authorization: `Bearer ${token}` })).status;

  test('are accepted if correct in every part, so that the others are refused for their defect', async () => {
    expect(await status(await forge({}))).toBe(200);
  });

  test.each<[string, Forged]>([
    ['another issuer', { claims: { iss: 'http://elsewhere' } }],
    ['another audience', { claims: { aud: 'other' } }],
    ['no audience', { claims: { aud: undefined } }],
    ['no expiry', { claims: { exp: undefined } }],
    ['an expiry in the past', { claims: { exp: 1 } }],
    ['a start in the future', { claims: { nbf: 4_000_000_000 } }],
    ['another subject', { claims: { sub: randomUUID(), credential_id: randomUUID() } }],
    ['no credential', { claims: { credential_id: undefined } }],
    ['an older generation', { claims: { generation: 0 } }],
    ['an unknown kid', { header: { kid: 'unknown' } }],
    ['no kid', { header: { kid: undefined } }],
    ['another key', { key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }],
  ])('are 401 with %s', async (_what, forged) => {
    expect(await status(await forge(forged))).toBe(401);
  });

  test('signed by HS256 with the public key as its secret are 401', async () => {
    const { publicKey } = await keys.signingKey();
    expect(await status(await forge({ algorithm: 'HS256', key: Buffer.from(await exportSPKI(publicKey)) }))).toBe(401);
  });

  test('with alg none, a cut signature or a changed payload are 401', async () => {
    const [header = '', payload = '', signature = ''] = (await forge({})).split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none', kid: (await keys.signingKey()).kid })).toString('base64url');
    const admin = Buffer.from(payload, 'base64url').toString().replace(client.subject, apiKey.subject);
    for (const token of [
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}.${signature.slice(4)}`,
      `${header}.${Buffer.from(admin).toString('base64url')}.${signature}`,
      `${header}.${payload}`,
    ])
      expect(await status(token)).toBe(401);
  });
});

describe('an outside issuer', () => {
  const THEIRS = 'https://id.example';
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

  const publish = async (publicKey = rsa.publicKey): Promise<{ uri: string; state: { asked: number; away: boolean } }> => {
    const state = { asked: 0, away: false };
    const set = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'r1', use: 'sig' }] });
    const issuer = createServer((_incoming, outgoing) => {
      state.asked++;
      outgoing.writeHead(state.away ? 500 : 200, { 'content-type': 'application/json' }).end(set);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => issuer.once('listening', resolve));
    onTestFinished(() => void issuer.close());
    return { uri: `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/jwks`, state };
  };

  const settings = (jwksUri: string, rolesClaim = 'realm_access.roles', rolesSeparator: string | null = null): OutsideIssuerSettings => ({
    jwksUri,
    issuer: THEIRS,
    audience: 'platform',
    rolesClaim,
    rolesSeparator,
  });

  const sign = (claims: Record<string, unknown>, { algorithm = 'RS256', kid = 'r1' } = {}): Promise<string> =>
    new SignJWT({ iss: THEIRS, aud: 'platform', sub: 'someone', exp: Math.floor(clock.now() / 1000) + 60, ...claims })
      .setProtectedHeader({ alg: algorithm, kid })
      .sign(rsa.privateKey);

  const bearer = async (token: string): Promise<Answered> => me({ authorization: `Bearer ${token}` });

  test.each(['RS256', 'RS512', 'PS256'])(
    'with %s tokens is accepted, with the subject mapped to a UUID and the role user by default',
    async (algorithm) => {
      await start(settings((await publish()).uri));
      const subject = uuidv5('someone', uuidv5(THEIRS, uuidv5.URL));
      expect((await bearer(await sign({}, { algorithm }))).body).toEqual({ subject, actor: `jwt:${THEIRS}`, roles: ['user'] });
    },
  );

  test.each<[string, string, Record<string, unknown>, Role[]]>([
    ['a dotted path', 'realm_access.roles', { realm_access: { roles: ['auditor', 'unknown'] } }, ['auditor']],
    ['a name with dots', 'https://id.example/roles', { 'https://id.example/roles': ['admin'] }, ['admin']],
    ['text, which is one role', 'role', { role: 'gateway' }, ['gateway']],
    ['text of several words, which is no role', 'scope', { scope: 'openid gateway' }, ['user']],
    ['text with a comma, which is no role', 'scope', { scope: 'admin,user' }, ['user']],
    ['nothing', 'a.b.c', { a: 1 }, ['user']],
    ['an inherited member', 'constructor.name', {}, ['user']],
  ])('may have roles in %s', async (_what, rolesClaim, claims, roles) => {
    await start(settings((await publish()).uri, rolesClaim));
    const uuid = randomUUID();
    expect((await bearer(await sign({ sub: uuid, ...claims }))).body).toEqual({ subject: uuid, actor: `jwt:${THEIRS}`, roles });
  });

  test.each([
    [' ', 'openid gateway'],
    [',', 'openid, gateway'],
  ])('may have roles in a text, split at the configured separator, %j', async (separator, scope) => {
    await start(settings((await publish()).uri, 'scope', separator));
    expect((await bearer(await sign({ scope }))).body).toMatchObject({ roles: ['gateway'] });
  });

  test('is refused with an RSA key of less than 2,048 bits', async () => {
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
    await start(settings((await publish(short.publicKey)).uri));
    const signed = [
      { alg: 'RS256', kid: 'r1' },
      { iss: THEIRS, aud: 'platform', sub: 'someone', exp: Math.floor(clock.now() / 1000) + 60 },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const signature = signData('sha256', Buffer.from(signed), short.privateKey).toString('base64url');
    expect((await bearer(`${signed}.${signature}`)).status).toBe(401);
  });

  test('keeps a subject that is a UUID of any version, in any case', async () => {
    await start(settings((await publish()).uri));
    for (const subject of ['11111111-1111-1111-1111-111111111111', 'abcdef00-0000-0000-0000-000000000001'])
      expect((await bearer(await sign({ sub: subject.toUpperCase() }))).body).toMatchObject({ subject });
  });

  test('may send a token whose header has spaces, in the query too', async () => {
    await start(settings((await publish()).uri));
    const [, claims] = (await sign({})).split('.');
    for (const header of ['{ "alg": "RS256", "kid": "r1" }', '{\n"alg": "RS256", "kid": "r1"}']) {
      const signed = `${Buffer.from(header).toString('base64url')}.${claims}`;
      const token = `${signed}.${signData('sha256', Buffer.from(signed), rsa.privateKey).toString('base64url')}`;
      expect([(await bearer(token)).status, (await me({}, `?access_token=${token}`)).status]).toEqual([200, 200]);
    }
  });

  test('is 401 with a wrong audience, an unknown kid, no subject, or HS256 with the public key', async () => {
    await start(settings((await publish()).uri));
    const hs = new SignJWT({ iss: THEIRS, aud: 'platform', sub: 'x', exp: 4_000_000_000 }).setProtectedHeader({ alg: 'HS256', kid: 'r1' });
    const tokens = [
      await sign({ aud: 'tributary' }),
      await sign({}, { kid: 'other' }),
      await sign({ sub: undefined }),
      await hs.sign(Buffer.from(await exportSPKI(rsa.publicKey))),
    ];
    for (const token of tokens) expect((await bearer(token)).status).toBe(401);
  });

  test('is asked once for its keys', async () => {
    const { uri, state } = await publish();
    await start(settings(uri));
    for (let n = 0; n < 5; n++) expect((await bearer(await sign({ n }))).status).toBe(200);
    expect(state.asked).toBe(1);
  });

  test('makes unknown tokens 503 while it is away, and does not affect our own', async () => {
    const { uri, state } = await publish();
    state.away = true;
    await start(settings(uri));
    expect((await bearer(await sign({}))).status).toBe(503);
    expect((await bearer(await newToken())).status).toBe(200);
    state.away = false;
    await clock.advance(2_000);
    expect((await bearer(await sign({}))).status).toBe(200);
  });

  test('is not accepted without settings', async () => {
    expect((await bearer(await sign({}))).status).toBe(401);
  });
});

test('accepts a client secret until it expires, for the caller who created it', async () => {
  const caller = { subject: apiKey.subject, actor: apiKey.credentialId, roles: ['user' as const] };
  const { value, expiresAt } = await tokens.issueClientSecret(caller, { type: 'transcription' }, 10);
  expect(expiresAt).toBe(Math.floor(clock.now() / 1_000) + 10);
  const incoming = { headers: {}, socket: { remoteAddress: '127.0.0.1' } } as unknown as IncomingMessage;
  const check = (secret: string) => authentication.check({ form: 'client-secret', secret }, incoming);
  expect(await check(value)).toEqual({ ...caller, roles: ['admin'] });
  await expect(check(`${value.slice(0, -3)}abc`)).rejects.toMatchObject({ statusCode: 401 });
  await clock.advance(11_000);
  await expect(check(value)).rejects.toThrow('has expired');
});
