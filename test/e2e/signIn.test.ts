import { once } from 'node:events';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventually, IN_A_SECOND } from '../eventually.ts';
import { OIDC_CLIENT, startIdentityProvider } from '../fakes/identityProvider.ts';
import { type Answer, call, PING_TEMPLATE, streamEnd, TEXT_TEMPLATE, upload } from './client.ts';
import { type RunningServer, startServer } from './server.ts';
import { Visitor } from './visitor.ts';

const CREDENTIALS = '/credential-service/api/v1/credentials';
const SESSIONS = '/credential-service/api/v1/sessions';
const GATEWAY = `/ws-gateway/api/v1?streamConfigurationTemplateId=${PING_TEMPLATE}`;
const SUBJECTS = '/audit-service/api/v1/subjects';
const USAGE = '/usage-service/api/v1/usage/report';
const USERS = '/credential-service/api/v1/users';

let server: RunningServer;
let provider: Awaited<ReturnType<typeof startIdentityProvider>>;

beforeAll(async () => {
  provider = await startIdentityProvider();
  server = await startServer({
    environment: {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: OIDC_CLIENT.id,
      OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
      OIDC_ROLES_MAP: '{"tributary-admins": "admin"}',
      OIDC_ALLOWED_DOMAINS: 'example.com',
      AUTH_ISSUER: provider.issuer,
      AUTH_JWKS_URI: `${provider.issuer}/jwks`,
    },
  });
  await provider.accept(server.url);
}, 120_000);

afterAll(async () => {
  await server.kill();
  await provider.stop();
});

beforeEach(() => {
  provider.forge = null;
});

/** An account of the organisation. Each test has its own. */
const account = (name: string, claims: object = {}): Visitor => {
  provider.accounts.set(name, { name, email: `${name}@example.com`, email_verified: true, ...claims });
  const visitor = new Visitor();
  visitor.account = name;
  return visitor;
};

const isCallback = (url: string) => url.startsWith(`${server.url}/sign-in/callback`);
const isDashboard = (url: string) => url.startsWith(`${server.url}/#`);

/** The place of the dashboard at which the browser ends. */
const signIn = async (visitor: Visitor, to = ''): Promise<string> => {
  const end = await visitor.follow(`${server.url}/sign-in/start${to}`, isDashboard);
  return end.slice(server.url.length);
};

const ask = (visitor: Visitor, path: string) => visitor.request(server.url + path).then(bodyOf);
const change = (visitor: Visitor, method: string, path: string, body?: object) => visitor.change(server.url + path, method, body);
const self = (visitor: Visitor) => ask(visitor, `${CREDENTIALS}/self`);
const makeKey = async (visitor: Visitor, role = 'user') =>
  bodyOf(await change(visitor, 'POST', CREDENTIALS, { kind: 'api-key', label: 'mine', role, subject: (await self(visitor)).subject }));
const STREAMS = '/stream-service/api/v1/streams';

/** Unchecked, like `body` of `call`. */
const bodyOf = async (response: Response): Promise<Answer['body']> => response.json();
const status = async (visitor: Visitor) => (await visitor.request(`${server.url}${CREDENTIALS}/self`)).status;

const userNamed = async (name: string) => {
  const { body } = await call(server.url, `${USERS}?size=100`);
  return body.content.find((user: { name: string }) => user.name === name);
};
const changeUser = (id: string, body: object) => call(server.url, `${USERS}/${id}`, { method: 'PATCH', body });
/** An owner with a key, who never signed in. */
const ownerOf = async (label: string) =>
  (await call(server.url, CREDENTIALS, { method: 'POST', body: { kind: 'api-key', label, role: 'user' } })).body;

describe('signing in with the organisation', () => {
  test('makes a user, who sees only their own library and makes an API key without help', async () => {
    const other = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' }, 'of the administrator');
    await streamEnd(server.url, other.body.streamId);
    const anna = account('anna');
    expect(await signIn(anna)).toBe('/#/');
    expect([...provider.agents]).toEqual([expect.stringMatching(/^Tributary\/[\d.]+/)]);
    const me = await self(anna);
    expect(me).toMatchObject({ roles: ['user'], credential: null, session: { name: 'anna' } });
    const key = await makeKey(anna);
    expect(key.subject).toBe(me.subject);
    const { body: seen } = await call(server.url, `${CREDENTIALS}/${key.id}`);
    expect(seen).toMatchObject({ issuedBy: me.session.id, issuerName: 'anna' });
    const { body: stream } = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'hers', { key: key.secret });
    await streamEnd(server.url, stream.streamId);
    const listed = await ask(anna, STREAMS);
    expect(listed.content.map(({ streamId }: { streamId: string }) => streamId)).toEqual([stream.streamId]);
    expect((await anna.request(`${server.url}${STREAMS}/${other.body.streamId}`)).status).toBe(404);
  });

  test('gives the role that the map says, and takes it away at the next sign-in without it', async () => {
    const boss = account('boss', { roles: ['staff', 'tributary-admins'] });
    await signIn(boss);
    expect((await self(boss)).roles).toEqual(['admin']);
    const { secret } = await makeKey(boss, 'admin');
    expect((await call(server.url, CREDENTIALS, { key: secret })).status).toBe(200);
    const again = account('boss', { roles: ['staff'] });
    await signIn(again);
    expect((await self(again)).roles).toEqual(['user']);
    await eventually(async () => (await status(boss)) === 401, IN_A_SECOND);
    await eventually(async () => (await call(server.url, CREDENTIALS, { key: secret })).status === 401, IN_A_SECOND);
  });

  test.each([
    ['another domain', { email: 'eve@example.org' }],
    ['an e-mail address that is not verified', { email_verified: false }],
    ['no e-mail address', { email: undefined }],
  ])('refuses %s', async (_what, claims) => {
    const eve = account('eve', claims);
    expect(await signIn(eve)).toBe('/#/?refused=domain');
    expect(await status(eve)).toBe(401);
  });

  test('ends the sessions and keys of a person whose domain is not allowed any more', async () => {
    const lisa = account('lisa');
    await signIn(lisa);
    const { secret } = await makeKey(lisa);
    expect(await signIn(account('lisa', { email: 'lisa@example.org' }))).toBe('/#/?refused=domain');
    await eventually(async () => (await status(lisa)) === 401, IN_A_SECOND);
    await eventually(async () => (await call(server.url, CREDENTIALS, { key: secret })).status === 401, IN_A_SECOND);
  });

  test('gives a person an id of this server, also where the provider chose a UUID', async () => {
    const owner = await ownerOf('with a UUID');
    const mallory = account(owner.subject);
    await signIn(mallory);
    expect((await self(mallory)).subject).not.toBe(owner.subject);
  });

  test('returns to the place that was asked for, and never to another site', async () => {
    expect(await signIn(account('anna'), `?to=${encodeURIComponent('#/streams/1?tab=events')}`)).toBe('/#/streams/1?tab=events');
    for (const to of ['https://evil.example/', '//evil.example', '/\\evil.example', '#@evil.example', '#/\r\nSet-Cookie: a=b'])
      expect(await signIn(account('anna'), `?to=${encodeURIComponent(to)}`)).toBe('/#/');
  });

  test('continues in each of two tabs', async () => {
    const anna = account('anna');
    const [first, second] = [
      await anna.follow(`${server.url}/sign-in/start`, isCallback),
      await anna.follow(`${server.url}/sign-in/start?to=${encodeURIComponent('#/settings')}`, isCallback),
    ];
    expect(await anna.follow(first, isDashboard)).toBe(`${server.url}/#/`);
    expect(await anna.follow(second, isDashboard)).toBe(`${server.url}/#/settings`);
  });

  test('begins at PUBLIC_URL, where the provider sends the browser back to', async () => {
    const elsewhere = server.url.replace('127.0.0.1', 'localhost');
    const end = await account('anna').follow(`${elsewhere}/sign-in/start?to=${encodeURIComponent('#/settings')}`, isDashboard);
    expect(end).toBe(`${server.url}/#/settings`);
    // A proxy that passes another host on leads to no loop.
    const behindProxy = await new Visitor().request(`${elsewhere}/sign-in/start?moved=true`);
    expect(behindProxy.headers.get('location')).toMatch(provider.issuer);
  });

  test('starts a new session, whatever cookie the browser had', async () => {
    const anna = account('anna');
    anna.cookies(server.url).set('tributary-session', 'chosen-by-an-attacker');
    await signIn(anna);
    expect(anna.cookies(server.url).get('tributary-session')).not.toBe('chosen-by-an-attacker');
    expect(await status(anna)).toBe(200);
  });

  test('sets a cookie that scripts and other sites cannot use', async () => {
    const anna = account('anna');
    const callback = await anna.follow(`${server.url}/sign-in/start`, isCallback);
    const cookies = (await anna.request(callback)).headers.getSetCookie();
    expect(cookies).toContainEqual(expect.stringMatching(/^tributary-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/));
  });
});

describe('a sign-in is not accepted', () => {
  /** Name and value of the cookie that the browser kept when it left. */
  const flowOf = (visitor: Visitor) => [...visitor.cookies(server.url)].find(([name]) => name.startsWith('tributary-sign-in-')) ?? [];

  /** Changes what the browser kept when it left. */
  const withFlow = (visitor: Visitor, change: object): void => {
    const cookies = visitor.cookies(server.url);
    const [name = '', kept = ''] = flowOf(visitor);
    const flow = JSON.parse(Buffer.from(kept, 'base64url').toString());
    cookies.set(name, Buffer.from(JSON.stringify({ ...flow, ...change })).toString('base64url'));
  };

  const arrive = async (change: (callback: URL, visitor: Visitor) => void): Promise<string> => {
    const anna = account('anna');
    const callback = new URL(await anna.follow(`${server.url}/sign-in/start`, isCallback));
    change(callback, anna);
    const end = await anna.follow(callback.href, isDashboard);
    expect(await status(anna)).toBe(401);
    return end.slice(server.url.length);
  };

  test.each<[string, (callback: URL, visitor: Visitor) => void]>([
    ['another state', ({ searchParams }) => searchParams.set('state', 'another')],
    ['no state', ({ searchParams }) => searchParams.delete('state')],
    ['another issuer in the answer', ({ searchParams }) => searchParams.set('iss', 'https://evil.example')],
    ['another code', ({ searchParams }) => searchParams.set('code', 'another')],
    ['another nonce', (_, visitor) => withFlow(visitor, { nonce: 'another' })],
    ['another code verifier', (_, visitor) => withFlow(visitor, { verifier: 'a'.repeat(43) })],
    ['a browser that did not start it', (_, visitor) => visitor.cookies(server.url).clear()],
  ])('with %s', async (_what, change) => {
    expect(await arrive(change)).toBe('/#/?refused=not-accepted');
  });

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['for another audience', { aud: 'another-client' }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['with another nonce', { nonce: 'another' }],
    ['that has expired', { exp: 1_700_000_000 }],
  ])('with an ID token %s', async (_what, claims) => {
    provider.forge = (given) => ({ ...given, ...claims });
    expect(await arrive(() => undefined)).toBe('/#/?refused=not-accepted');
  });

  test('twice', async () => {
    const anna = account('anna');
    const callback = await anna.follow(`${server.url}/sign-in/start`, isCallback);
    expect(await anna.follow(callback, isDashboard)).toBe(`${server.url}/#/`);
    expect(await anna.follow(callback, isDashboard)).toBe(`${server.url}/#/?refused=not-accepted`);
  });

  test('when the person cancels it', async () => {
    const anna = account('anna');
    await anna.follow(`${server.url}/sign-in/start`, (url) => url.includes('/interaction/'));
    const { state } = JSON.parse(Buffer.from(flowOf(anna)[1] ?? '', 'base64url').toString());
    const query = new URLSearchParams({ error: 'access_denied', state, iss: provider.issuer });
    expect(await anna.follow(`${server.url}/sign-in/callback?${query}`, isDashboard)).toBe(`${server.url}/#/?refused=cancelled`);
  });
});

describe('a session', () => {
  test('changes something only from a page of this server', async () => {
    const anna = account('anna');
    await signIn(anna);
    const end = (headers: Record<string, string>) => anna.request(`${server.url}${SESSIONS}`, { method: 'DELETE', headers });
    const header = { 'x-requested-with': 'Tributary' };
    for (const headers of [
      header,
      { origin: server.url },
      { ...header, origin: 'https://evil.example' },
      { ...header, origin: 'null' },
      { ...header, origin: server.url, 'sec-fetch-site': 'same-site' },
      { ...header, origin: server.url, 'sec-fetch-site': 'cross-site' },
    ])
      expect((await end(headers)).status).toBe(403);
    expect(await status(anna)).toBe(200);
    expect((await end({ ...header, 'sec-fetch-site': 'same-origin' })).status).toBe(204);
    expect(await status(anna)).toBe(401);
  });

  test('is listed with its device, and ends alone or with all others', async () => {
    const [laptop, phone, key] = [account('lena'), account('lena'), account('lena')];
    for (const visitor of [laptop, phone, key]) await signIn(visitor);
    const list = await ask(laptop, SESSIONS);
    expect(list.content).toHaveLength(3);
    expect(list.content.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
    const { session } = await self(phone);
    expect((await change(laptop, 'DELETE', `${SESSIONS}/${session.id}`)).status).toBe(204);
    expect([await status(laptop), await status(phone), await status(key)]).toEqual([200, 401, 200]);
    const other = account('other');
    await signIn(other);
    expect((await change(other, 'DELETE', `${SESSIONS}/${(await self(laptop)).session.id}`)).status).toBe(404);
    expect((await change(laptop, 'DELETE', SESSIONS)).status).toBe(204);
    expect([await status(laptop), await status(key), await status(other)]).toEqual([401, 401, 200]);
    expect(laptop.cookies(server.url).has('tributary-session')).toBe(false);
  });

  test("names the provider's sign-out page when it has ended itself, alone or with all others", async () => {
    const [gail, other] = [account('gail'), account('gail')];
    await signIn(gail);
    await signIn(other);
    const { content } = await ask(gail, SESSIONS);
    const { id } = content.find(({ current }: { current: boolean }) => !current);
    const others = await change(gail, 'DELETE', `${SESSIONS}/${id}`);
    expect([others.status, others.headers.get('tributary-sign-out')]).toEqual([204, null]);
    const ended = await change(gail, 'DELETE', SESSIONS);
    const page = new URL(ended.headers.get('tributary-sign-out') ?? '');
    expect(page.origin).toBe(provider.issuer);
    const { post_logout_redirect_uri: back, id_token_hint: hint = '' } = Object.fromEntries(page.searchParams);
    expect(back).toBe(`${server.url}/`);
    expect(decodeJwt(hint).sub).toBe('gail');
    expect((await gail.request(page.href)).status).toBe(200);
    expect([...gail.cookies(server.url).keys()]).toEqual([]);
  });

  test('opens a WebSocket from a page of this server only', async () => {
    const anna = account('anna');
    await signIn(anna);
    const handshake = (origin: string) => {
      const cookie = `tributary-session=${anna.cookies(server.url).get('tributary-session')}`;
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}${GATEWAY}`, { headers: { cookie }, origin });
      return once(socket, 'open').then(
        () => {
          socket.terminate();
          return 'open';
        },
        ({ message }: Error) => message,
      );
    };
    expect(await handshake('https://evil.example')).toMatch(/403/);
    expect(await handshake(server.url)).toBe('open');
  });

  test('counts only without another credential', async () => {
    const anna = account('anna');
    await signIn(anna);
    const headers = { authorization: 'Basic wrong' };
    expect((await anna.request(`${server.url}${CREDENTIALS}/self`, { headers })).status).toBe(401);
  });

  test('gives keys of its own person only, with at most its role', async () => {
    const anna = account('anna');
    await signIn(anna);
    const issue = (wanted: object) => change(anna, 'POST', CREDENTIALS, { kind: 'api-key', label: 'x', role: 'user', ...wanted });
    expect((await issue({ role: 'admin' })).status).toBe(403);
    expect((await issue({ subject: '10000000-0000-4000-8000-000000000001' })).status).toBe(403);
    const { id, secret } = await bodyOf(await issue({}));
    // A key issues no keys.
    const byKey = await call(server.url, CREDENTIALS, { method: 'POST', key: secret, body: { kind: 'api-key', label: 'x', role: 'user' } });
    expect(byKey.status).toBe(403);
    const listed = await ask(anna, CREDENTIALS);
    expect(listed.content.every(({ subject }: { subject: string }) => subject === listed.content[0].subject)).toBe(true);
    const bob = account('bob');
    await signIn(bob);
    expect((await change(bob, 'DELETE', `${CREDENTIALS}/${id}`)).status).toBe(404);
    expect((await change(anna, 'DELETE', `${CREDENTIALS}/${id}`)).status).toBe(204);
    expect((await call(server.url, `${CREDENTIALS}/self`, { key: secret })).status).toBe(401);
  });
});

describe('an administrator', () => {
  test('sees people with their streams, and gives a role, which ends their sessions', async () => {
    const carla = account('carla');
    await signIn(carla);
    const { id } = await userNamed('carla');
    expect(await userNamed('carla')).toMatchObject({
      ...{ kind: 'person', email: 'carla@example.com', role: 'user', roleSource: 'settings', disabled: false },
      ...{ streams: 0, keptBytes: 0, creditsOfMonth: '0', subject: id },
    });
    expect((await changeUser(id, { role: 'auditor' })).status).toBe(204);
    expect(await status(carla)).toBe(401);
    await signIn(carla);
    expect((await self(carla)).roles).toEqual(['auditor']);
    expect(await userNamed('carla')).toMatchObject({ role: 'auditor', roleSource: 'administrator' });
  });

  test('cannot change a role that the identity provider gives', async () => {
    await signIn(account('chief', { roles: 'tributary-admins' }));
    expect((await changeUser((await userNamed('chief')).id, { role: 'user' })).status).toBe(409);
  });

  test('disables a person, whose sessions and keys end, until they are enabled again', async () => {
    const dora = account('dora');
    await signIn(dora);
    const { secret } = await makeKey(dora);
    const { id } = await userNamed('dora');
    expect((await changeUser(id, { disabled: true })).status).toBe(204);
    expect(await status(dora)).toBe(401);
    expect((await call(server.url, `${CREDENTIALS}/self`, { key: secret })).status).toBe(401);
    expect(await signIn(dora)).toBe('/#/?refused=disabled');
    await changeUser(id, { disabled: false });
    expect(await signIn(dora)).toBe('/#/');
  });

  test('links a person to an owner who has streams already', async () => {
    const owner = await ownerOf('old key');
    const query = { streamConfigurationTemplateId: TEXT_TEMPLATE, summary: 'true' };
    const { body: stream } = await upload(server.url, query, 'Anna called. Ben came.', { key: owner.secret });
    await streamEnd(server.url, stream.streamId);
    const fred = account('fred');
    await signIn(fred);
    const { id } = await userNamed('fred');
    expect((await changeUser(id, { subject: owner.subject })).status).toBe(204);
    expect(await status(fred)).toBe(401);
    await signIn(fred);
    const listed = await ask(fred, STREAMS);
    expect(listed.content.map(({ streamId }: { streamId: string }) => streamId)).toEqual([stream.streamId]);
    expect(await userNamed('old key')).toBeUndefined();
    const { credits } = (await call(server.url, `${USAGE}?subject=${owner.subject}`)).body.totalMeasurements;
    expect(Number(credits)).toBeGreaterThan(0);
    expect(await userNamed('fred')).toMatchObject({ subject: owner.subject, streams: 1, creditsOfMonth: credits });
    await changeUser(id, { subject: id });
    expect(await userNamed('old key')).toMatchObject({ kind: 'owner', role: 'user', streams: 1 });
  });

  test('links a person to no id that no owner has', async () => {
    await signIn(account('rosa'));
    const { id } = await userNamed('rosa');
    expect((await changeUser(id, { subject: '10000000-0000-4000-8000-00000000abcd' })).status).toBe(404);
    expect((await changeUser(id, { subject: id })).status).toBe(204);
  });

  test('gives a person who is linked to an administrator no key of an administrator', async () => {
    const { body: me } = await call(server.url, `${CREDENTIALS}/self`);
    const hugo = account('hugo');
    await signIn(hugo);
    const { id } = await userNamed('hugo');
    await changeUser(id, { subject: me.subject });
    await signIn(hugo);
    expect((await self(hugo)).roles).toEqual(['user']);
    expect((await change(hugo, 'POST', `${CREDENTIALS}/${me.credential.id}/rotate`)).status).toBe(403);
    expect((await change(hugo, 'DELETE', `${CREDENTIALS}/${me.credential.id}`)).status).toBe(403);
    expect((await change(hugo, 'DELETE', `${CREDENTIALS}/${(await makeKey(hugo)).id}`)).status).toBe(204);
  });

  test('disables a person, whose tokens of the same issuer end too, and links those', async () => {
    const mona = account('mona');
    await signIn(mona);
    const { id } = await userNamed('mona');
    const headers = { authorization: `Bearer ${await provider.accessToken('mona')}` };
    const caller = () => call(server.url, `${CREDENTIALS}/self`, { key: null, headers });
    expect((await caller()).body.subject).toBe(id);
    const { subject } = await ownerOf('of mona');
    await changeUser(id, { subject });
    expect((await caller()).body.subject).toBe(subject);
    await changeUser(id, { disabled: true });
    expect((await caller()).status).toBe(401);
  });

  test('takes back a role that they gave, although the identity provider gives one by now', async () => {
    await signIn(account('nora'));
    const { id } = await userNamed('nora');
    await changeUser(id, { role: 'auditor' });
    await signIn(account('nora', { roles: 'tributary-admins' }));
    expect(await userNamed('nora')).toMatchObject({ role: 'admin', roleSource: 'claim', chosenRole: 'auditor' });
    expect((await changeUser(id, { role: null })).status).toBe(204);
    await signIn(account('nora'));
    expect(await userNamed('nora')).toMatchObject({ role: 'user', roleSource: 'settings', chosenRole: null });
  });

  test('sees when each person was last here, also where several share a library', async () => {
    const owner = await ownerOf('for two');
    for (const name of ['olga', 'paul']) {
      await signIn(account(name));
      await changeUser((await userNamed(name)).id, { subject: owner.subject });
    }
    const olga = account('olga');
    await signIn(olga);
    await self(olga);
    expect((await userNamed('olga')).lastUsedTimestamp).not.toBeNull();
    expect(await userNamed('paul')).toMatchObject({ lastUsedTimestamp: null });
  });

  test('disables a linked person, who keeps no key of the library and none of their own subject', async () => {
    const owner = await ownerOf('shared');
    const kurt = account('kurt');
    await signIn(kurt);
    const { id } = await userNamed('kurt');
    const given = { kind: 'api-key', label: 'given', role: 'user', subject: id };
    const { body: key } = await call(server.url, CREDENTIALS, { method: 'POST', body: given });
    await changeUser(id, { subject: owner.subject });
    await signIn(kurt);
    expect((await change(kurt, 'POST', `${CREDENTIALS}/${owner.id}/rotate`)).status).toBe(403);
    expect((await change(kurt, 'DELETE', `${CREDENTIALS}/${owner.id}`)).status).toBe(403);
    const own = await bodyOf(await change(kurt, 'POST', `${CREDENTIALS}/${(await makeKey(kurt)).id}/rotate`));
    const accepted = async () => {
      const answers = [owner, key, own].map(({ secret }) => call(server.url, `${CREDENTIALS}/self`, { key: secret }));
      return (await Promise.all(answers)).map((answer) => answer.status);
    };
    expect(await accepted()).toEqual([200, 200, 200]);
    expect((await changeUser(id, { disabled: true })).status).toBe(204);
    expect(await accepted()).toEqual([200, 401, 401]);
  });

  test('erases a person with the owner they are linked to, and the log shows no name any more', async () => {
    const gina = account('gina');
    await signIn(gina);
    const { id } = await userNamed('gina');
    const owner = await ownerOf('g');
    await changeUser(id, { subject: owner.subject });
    await signIn(gina);
    const { body: shown } = await call(server.url, `/audit-service/api/v1/events?subject=${owner.subject}&category=credentials`);
    expect(shown.actors.map(({ label }: { label: string }) => label)).toContain('gina');
    expect((await call(server.url, `${SUBJECTS}/${owner.subject}`, { method: 'DELETE' })).status).toBe(200);
    expect(await status(gina)).toBe(401);
    expect(await userNamed('gina')).toBeUndefined();
    expect((await call(server.url, '/audit-service/api/v1/events?size=1000')).text).not.toContain('gina');
    expect(await signIn(gina)).toBe('/#/?refused=erased');
  });
});

describe('an administrator erases', () => {
  const linked = async (name: string, subject: string) => {
    const visitor = account(name);
    await signIn(visitor);
    const { id } = await userNamed(name);
    await changeUser(id, { subject });
    return { visitor, id };
  };

  test('a linked person alone, and the owner of the library is listed again', async () => {
    const owner = await ownerOf('library');
    const ida = await linked('ida', owner.subject);
    await linked('jan', owner.subject);
    expect(await userNamed('ida')).toMatchObject({ ownerName: 'library', others: ['jan'] });
    expect((await call(server.url, `${SUBJECTS}/${ida.id}`, { method: 'DELETE' })).status).toBe(200);
    expect(await signIn(ida.visitor)).toBe('/#/?refused=erased');
    expect((await call(server.url, `${CREDENTIALS}/self`, { key: owner.secret })).status).toBe(200);
    expect(await userNamed('jan')).toMatchObject({ ownerName: 'library', others: [] });
    await changeUser((await userNamed('jan')).id, { subject: (await userNamed('jan')).id });
    expect(await userNamed('library')).toMatchObject({ kind: 'owner', ownerName: null, others: [] });
  });
});

describe('a provider that is away', () => {
  test('is named as the reason, and keys still sign in', async () => {
    await provider.leave();
    try {
      // A new server has not read the addresses of the provider yet.
      const fresh = await startServer({ environment: { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: OIDC_CLIENT.id } });
      const end = await new Visitor().follow(`${fresh.url}/sign-in/start`, (url) => url.includes('#'));
      expect(end).toBe(`${fresh.url}/#/?refused=provider-away`);
      expect((await call(fresh.url, `${CREDENTIALS}/self`)).status).toBe(200);
      await provider.back();
      const next = await new Visitor().request(`${fresh.url}/sign-in/start`);
      expect(next.headers.get('location')).toMatch(provider.issuer);
    } finally {
      await provider.back();
    }
  });

  test('is named as the reason when the person comes back', async () => {
    const anna = account('anna');
    const callback = await anna.follow(`${server.url}/sign-in/start`, isCallback);
    await provider.leave();
    try {
      expect(await anna.follow(callback, isDashboard)).toBe(`${server.url}/#/?refused=provider-away`);
    } finally {
      await provider.back();
    }
  });
});
