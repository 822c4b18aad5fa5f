import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hrefJudge } from '../../src/addressGuard/url.ts';
import { readEvents, type ShownEvent } from '../../src/audit/eventReading.ts';
import { statesAt } from '../../src/audit/eventStreamState.ts';
import { systemClock } from '../../src/clock.ts';
import { disableWebhookEndpoint } from '../../src/commands/webhookEndpoints.ts';
import { WebhookSecrets } from '../../src/commands/webhookSecrets.ts';
import { type DeliveryEvent, deliveryEventStream } from '../../src/domain/delivery/events.ts';
import { webhookEndpointsEventStream } from '../../src/domain/webhookEndpoints/events.ts';
import { AUDIT_SEALED, NAMED_TYPES, WEBHOOK_EVENT_TYPES } from '../../src/domain/webhookEndpoints/webhookEventTypes.ts';
import type { Route } from '../../src/http/route/route.ts';
import { webhookEndpointRoutes } from '../../src/http/webhooks/webhookEndpointRoutes.ts';
import { webhookRequestRoutes } from '../../src/http/webhooks/webhookRequestRoutes.ts';
import { webhookSecretRoutes } from '../../src/http/webhooks/webhookSecretRoutes.ts';
import type { Platform } from '../../src/platform.ts';
import { StoreUnavailable } from '../../src/stores/eventStore.ts';
import type { StreamHead } from '../../src/stores/log/eventLog.ts';
import { eventually } from '../eventually.ts';
import { ManualClock } from '../manualClock.ts';
import { type Answer, type Call, call } from './client.ts';
import { type InProcess, startInProcess } from './inProcess.ts';

const ENDPOINTS = '/notification-service/api/v1/webhook-endpoints';
const HOOK = { url: 'https://example.org/hook', events: ['stream.*'] };
const UNTRIED = {
  state: 'unknown',
  since: expect.any(String),
  ...{ lastSuccess: null, lastFailure: null, reason: null, nextProbe: null },
};
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

const judgeWebhook = hrefJudge({ allow: [], resolve: async () => [] });

/** The operations over real HTTP. `clock` is used for rotations and waits. */
const start = async (clock = systemClock) => {
  const routes = ({ log, keys, readModels, limits }: Platform): Route[] => [
    ...webhookEndpointRoutes({ log, readModels, limits, clock, judgeWebhook, retryWindow: 10_800 }),
    ...webhookSecretRoutes({ log, clock, secrets: new WebhookSecrets(keys) }),
    ...webhookRequestRoutes({ log, clock }),
  ];
  return startInProcess(routes);
};

/** A new user, who calls with their own key by default. */
const newUser = async ({ url, platform } = server, role = 'user') => {
  const { body: credential } = await call(url, '/credential-service/api/v1/credentials', {
    method: 'POST',
    body: { kind: 'api-key', label: 'test', role },
  });
  const { secret: key, subject }: { secret: string; subject: string } = credential;
  const on = (path: string, options: Call = {}): Promise<Answer> => call(url, `${ENDPOINTS}${path}`, { key, ...options });
  const put = (body: object, options: Call = {}): Promise<Answer> => on('', { method: 'PUT', body, ...options });
  const events = () => platform.log.readStream(webhookEndpointsEventStream(subject));
  return { key, subject, on, put, events };
};

let server: InProcess;
beforeAll(async () => {
  server = await start();
});
afterAll(() => server.stop());

const refusal = ({ status, body }: Answer): [number, string] => [status, body.internalErrorName];
const FORBIDDEN = [403, 'GENERAL_AUTHORIZATION_ERROR'];
const NOT_FOUND = [404, 'GENERAL_NOT_FOUND_ERROR'];
const CONFLICT = [409, 'GENERAL_CONFLICT_ERROR'];
const INVALID = [400, 'GENERAL_VALIDATION_ERROR'];
const BAD_WEBHOOK = [400, 'WEBHOOK_CONFIGURATION_ERROR'];

describe('a registered endpoint', () => {
  test('is created, found, listed, replaced, toggled and deleted', async () => {
    const { on, put } = await newUser();
    const created = await put({ ...HOOK, description: 'mine' });
    expect(created.status).toBe(200);
    const { id } = created.body;
    const own = { headers: {}, filter: null, retryWindow: 10_800 };
    const settings = {
      ...HOOK,
      enabled: true,
      description: 'mine',
      payload: 'full',
      ...own,
      disabledReason: null,
      disabledTimestamp: null,
    };
    const shown = { id, ...settings, health: UNTRIED };
    expect(created.body).toEqual(shown);
    expect((await on(`/${id}`)).body).toEqual(shown);
    expect((await on('')).body).toEqual([shown]);

    const replaced = await put({ id, url: 'http://EXAMPLE.org:80/a b', events: ['*', 'stream.ready', '*'], enabled: false });
    const expected = {
      id,
      url: 'http://example.org/a%20b',
      events: ['*', 'stream.ready'],
      enabled: false,
      description: null,
      payload: 'full',
      ...own,
    };
    expect(replaced.body).toMatchObject({ ...expected, disabledReason: 'Disabled by its owner' });
    expect(Date.parse(replaced.body.disabledTimestamp)).toBeGreaterThan(Date.now() - 60_000);

    const toggled = await on(`/${id}/enabled/true`, { method: 'PATCH' });
    const enabled = { ...expected, enabled: true, disabledReason: null, disabledTimestamp: null, health: UNTRIED };
    expect([toggled.status, toggled.body]).toEqual([200, enabled]);
    const deleted = await on(`/${id}`, { method: 'DELETE' });
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await on('')).body).toEqual([]);
    expect(refusal(await on(`/${id}`))).toEqual(NOT_FOUND);
  });

  test('is listed with an unknown health while the read models are away, but not by a health', async () => {
    const away = async (): Promise<never> => {
      throw new StoreUnavailable('away');
    };
    const readModels = { find: away, getMany: away, findIds: away };
    const cut = await startInProcess(({ log, limits }) =>
      webhookEndpointRoutes({ log, readModels, limits, clock: systemClock, judgeWebhook, retryWindow: 10_800 }),
    );
    onTestFinished(() => cut.stop());
    const { on, put } = await newUser(cut);
    await put(HOOK);
    const all = await on('');
    expect([all.status, all.body[0].health.state]).toEqual([200, 'unknown']);
    expect((await on('?health=failing')).status).toBe(503);
  });

  test('is created without an id, with an empty one or null; what GET returned can be PUT back', async () => {
    const { on, put } = await newUser();
    const ids = await Promise.all([put(HOOK), put({ ...HOOK, id: '' }), put({ ...HOOK, id: null, enabled: null, description: null })]);
    expect(new Set(ids.map(({ body }) => body.id)).size).toBe(3);
    const [first] = (await on('')).body;
    const again = await put(first);
    expect([again.status, again.body]).toEqual([200, first]);
  });

  test('keeps its slim payload if a replacement does not name one', async () => {
    const { on, put } = await newUser();
    const { id, payload } = (await put({ ...HOOK, payload: 'slim' })).body;
    expect(payload).toBe('slim');
    expect((await put({ ...HOOK, id, description: 'replaced' })).body).toMatchObject({ description: 'replaced', payload: 'slim' });
    expect((await put({ ...HOOK, id, payload: 'full' })).body.payload).toBe('full');
    expect((await on(`/${id}`)).body.payload).toBe('full');
    expect(refusal(await put({ ...HOOK, payload: 'tiny' }))).toEqual(INVALID);
  });

  test('has headers with hidden values, a filter and a retry window, which a replacement keeps, changes or clears', async () => {
    const { on, put, subject, events } = await newUser();
    const settings = { headers: { Authorization: 'Bearer abc' }, filter: { 'payload.stream.labels': 'sales' }, retryWindow: 86_400 };
    const created = (await put({ ...HOOK, ...settings })).body;
    const shown = { ...settings, headers: { Authorization: '***' } };
    expect(created).toMatchObject(shown);
    const { id } = created;
    expect((await put(created)).body).toEqual(created);
    expect((await put({ ...HOOK, id, description: 'absent' })).body).toMatchObject(shown);
    const more = await put({ ...HOOK, id, headers: { authorization: '***', 'X-Other': 'xyz' } });
    expect(more.body.headers).toEqual({ authorization: '***', 'X-Other': '***' });
    const [, , updated] = await events();
    expect(updated?.data).toMatchObject({ headers: { authorization: 'Bearer abc', 'X-Other': 'xyz' } });
    for (const { text } of [await on(''), await on(`/${id}`)]) expect(text).not.toMatch(/Bearer abc|xyz/);
    const { log } = server.platform;
    const query = { where: { eventStream: webhookEndpointsEventStream(subject) }, order: 'asc', after: null, limit: null } as const;
    const audited: ShownEvent[] = [];
    for await (const page of readEvents(log, { ...query, form: 'readable' }, await log.head())) audited.push(...page);
    expect(audited.at(-1)?.data).toMatchObject({ url: HOOK.url, headers: { authorization: '***', 'X-Other': '***' } });
    const [folded] = await statesAt(log, webhookEndpointsEventStream(subject), [null]);
    expect(folded?.state).toMatchObject({ endpoints: [{ headers: { authorization: '***', 'X-Other': '***' } }] });
    const cleared = await put({ ...HOOK, id, headers: null, filter: null, retryWindow: null });
    expect(cleared.body).toMatchObject({ headers: {}, filter: null, retryWindow: 10_800 });
    expect((await put({ ...HOOK, id, filter: {} })).body.filter).toBeNull();
    expect((await events()).at(-1)?.data).toMatchObject({ headers: {}, filter: null, retryWindow: null });
  });

  test('has an id that is read in any case, in a path and in a body', async () => {
    const { on, put } = await newUser();
    const { id } = (await put(HOOK)).body;
    const ID = id.toUpperCase();
    const replaced = await put({ ...HOOK, id: ID, description: 'replaced' });
    expect([replaced.status, replaced.body]).toMatchObject([200, { id, description: 'replaced' }]);
    expect((await on(`/${ID}`)).body).toEqual(replaced.body);
    expect((await on('')).body).toHaveLength(1);
  });

  test('may use the supported events, which anyone can read', async () => {
    const { on } = await newUser();
    const answer = await on('/supported-events', { key: null });
    expect([answer.status, answer.body]).toEqual([200, [...WEBHOOK_EVENT_TYPES]]);
    expect((await on('/supported-events?all=true', { key: null })).body).toEqual([...WEBHOOK_EVENT_TYPES, ...NAMED_TYPES]);
    const { status, body } = await (await newUser()).put({ ...HOOK, events: [...NAMED_TYPES] });
    expect([status, body.events]).toEqual([200, [...NAMED_TYPES]]);
    expect(answer.body).toHaveLength(16);
  });

  test('may use audit.sealed only for administrators and auditors, who see it listed', async () => {
    for (const role of ['admin', 'auditor']) {
      const { on, put } = await newUser(server, role);
      expect((await on('/supported-events')).body).toEqual([...WEBHOOK_EVENT_TYPES, AUDIT_SEALED]);
      expect((await put({ ...HOOK, events: ['*', AUDIT_SEALED] })).body.events).toEqual(['*', AUDIT_SEALED]);
    }
    const { on, put } = await newUser();
    expect((await on('/supported-events')).body).toEqual(WEBHOOK_EVENT_TYPES);
    expect(refusal(await put({ ...HOOK, events: ['*', AUDIT_SEALED] }))).toEqual([400, 'WEBHOOK_CONFIGURATION_ERROR']);
    expect(refusal(await put({ ...HOOK, events: ['audit.*'] }))).toEqual([400, 'WEBHOOK_CONFIGURATION_ERROR']);
    const wrong = await on('/supported-events', { key: 'wrong' });
    expect([wrong.status, wrong.body]).toEqual([200, WEBHOOK_EVENT_TYPES]);
  });

  test('of another user looks like an unknown one', async () => {
    const { on, put } = await newUser();
    const { body: mine } = await put(HOOK);
    const { key } = await newUser();
    for (const id of [mine.id, UNKNOWN, 'x', '__proto__']) {
      const answers = [
        await put({ ...HOOK, id }, { key }),
        await on(`/${id}/enabled/false`, { method: 'PATCH', key }),
        await on(`/${id}`, { method: 'DELETE', key }),
      ];
      expect(answers.map(refusal)).toEqual([FORBIDDEN, FORBIDDEN, FORBIDDEN]);
      expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1);
      const hidden = [
        await on(`/${id}`, { key }),
        await on(`/${id}/secret`, { key }),
        await on(`/${id}/secret/rotate`, { method: 'POST', key }),
        await on(`/${id}/test`, { method: 'POST', key }),
        await on(`/${id}/deliveries/${UNKNOWN}/resend`, { method: 'POST', key }),
        await on(`/${id}/recover`, { method: 'POST', key, body: { since: '2026-01-01T00:00:00Z' } }),
      ];
      expect(hidden.map(refusal)).toEqual(hidden.map(() => NOT_FOUND));
      expect(new Set(hidden.map(({ body }) => body.message)).size).toBe(1);
    }
    expect((await on('', { key })).body).toEqual([]);
    expect((await on(`/${mine.id}`)).body).toEqual(mine);
  });

  test('needs a credential in every operation but one', async () => {
    const { on, put } = await newUser();
    const answers = [
      await on('', { key: null }),
      await put(HOOK, { key: null }),
      await on(`/${UNKNOWN}/enabled/true`, { method: 'PATCH', key: null }),
      await on('/account-secret', { key: null }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  });

  test('of another subject is managed by admins only', async () => {
    const [user, admin] = [await newUser(), await newUser(server, 'admin')];
    const { on } = admin;
    const { body: theirs } = await user.put(HOOK);
    expect((await on('')).body).toEqual([]);
    expect((await on(`?subject=${user.subject.toUpperCase()}`)).body).toEqual([theirs]);
    const toggled = await on(`/${theirs.id}/enabled/false?subject=${user.subject}`, { method: 'PATCH' });
    expect([toggled.status, toggled.body.enabled]).toEqual([200, false]);
    const other = await newUser(server, 'auditor');
    expect(refusal(await other.on(`?subject=${user.subject}`))).toEqual(FORBIDDEN);
  });
});

describe('invalid input', () => {
  const rows: [what: string, body: object, expected: (string | number)[]][] = [
    ['no url', { events: ['*'] }, INVALID],
    ['no events', { url: HOOK.url }, INVALID],
    ['an empty list of events', { ...HOOK, events: [] }, INVALID],
    ['events that are text', { ...HOOK, events: '*' }, INVALID],
    ['an event that is a number', { ...HOOK, events: [1] }, INVALID],
    ['a url that is a number', { ...HOOK, url: 1 }, INVALID],
    ['a url that is too long', { ...HOOK, url: `https://example.org/${'a'.repeat(2_029)}` }, INVALID],
    ['a description that is too long', { ...HOOK, description: 'a'.repeat(1_025) }, INVALID],
    ['enabled as text', { ...HOOK, enabled: 'true' }, INVALID],
    ['an id that is a number', { ...HOOK, id: 7 }, INVALID],
    ['an unknown event type', { ...HOOK, events: ['stream.ready', 'stream.exploded'] }, BAD_WEBHOOK],
    ['an unknown wildcard', { ...HOOK, events: ['*.ready'] }, BAD_WEBHOOK],
    ['a wildcard of alerts', { ...HOOK, events: ['endpoint.*'] }, BAD_WEBHOOK],
    ['headers that are a list', { ...HOOK, headers: [] }, INVALID],
    ['a header that is a number', { ...HOOK, headers: { 'X-A': 1 } }, INVALID],
    ['a header that is too long', { ...HOOK, headers: { 'X-A': 'a'.repeat(1_025) } }, INVALID],
    ['21 headers', { ...HOOK, headers: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`X-${n}`, 'a'])) }, INVALID],
    ['a header of the server', { ...HOOK, headers: { 'Webhook-Id': 'a' } }, BAD_WEBHOOK],
    ['a hidden value without one to keep', { ...HOOK, headers: { 'X-A': '***' } }, BAD_WEBHOOK],
    ['a filter of 11 paths', { ...HOOK, filter: Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`a${n}`, 1])) }, INVALID],
    ['an unknown operator in a filter', { ...HOOK, filter: { type: { suffix: 'a' } } }, BAD_WEBHOOK],
    ['a retry window below an hour', { ...HOOK, retryWindow: 3_599 }, BAD_WEBHOOK],
    ['a retry window above a week', { ...HOOK, retryWindow: 604_801 }, BAD_WEBHOOK],
    ['a retry window that is no integer', { ...HOOK, retryWindow: 4_000.5 }, INVALID],
    ['an event type in capitals', { ...HOOK, events: ['STREAM.READY'] }, BAD_WEBHOOK],
    ['an empty url', { ...HOOK, url: '' }, BAD_WEBHOOK],
    ['another scheme', { ...HOOK, url: 'ftp://example.org/' }, BAD_WEBHOOK],
    ['no scheme', { ...HOOK, url: 'example.org' }, BAD_WEBHOOK],
    ['loopback', { ...HOOK, url: 'http://127.0.0.1/' }, BAD_WEBHOOK],
    ['loopback written otherwise', { ...HOOK, url: 'http://0x7f.1:8080/' }, BAD_WEBHOOK],
    ['loopback in IPv6', { ...HOOK, url: 'http://[::1]/' }, BAD_WEBHOOK],
    ['localhost', { ...HOOK, url: 'http://localhost:3000/' }, BAD_WEBHOOK],
    ['a local address', { ...HOOK, url: 'https://192.168.0.7/' }, BAD_WEBHOOK],
    ['user information', { ...HOOK, url: 'https://user:pass@example.org/' }, BAD_WEBHOOK],
    ['a line break in the url', { ...HOOK, url: 'https://example.org/\nHost:%20x' }, BAD_WEBHOOK],
    ['a url that is too long once it is escaped', { ...HOOK, url: `https://example.org/${'ä'.repeat(1_000)}` }, BAD_WEBHOOK],
  ];

  test('is refused with its status and error name, and creates nothing', async () => {
    const { on, put } = await newUser();
    for (const [what, body, expected] of rows) expect([what, refusal(await put(body))]).toEqual([what, expected]);
    expect((await on('')).body).toEqual([]);
    const { body } = await put({ url: 1, events: [] });
    expect(body.nestedErrors.map(({ message }: { message: string }) => message.split(':')[0])).toEqual(['url', 'events']);
  });

  test('is accepted at its greatest allowed length', async () => {
    const { on, put } = await newUser();
    const longest = { ...HOOK, url: `https://example.org/${'a'.repeat(2_028)}`, description: '🦊'.repeat(1_024) };
    const { status, body } = await put(longest);
    expect([status, body.url.length, (await on(`/${body.id}`)).body.description]).toEqual([200, 2_048, longest.description]);
  });

  test('with a state other than true and false is refused before anything else', async () => {
    const { on } = await newUser();
    for (const state of ['TRUE', '1', 'yes', 'null'])
      expect(refusal(await on(`/${UNKNOWN}/enabled/${state}`, { method: 'PATCH' }))).toEqual(INVALID);
  });

  test('with a recovery without one valid start is refused', async () => {
    const { on, put } = await newUser();
    const { id } = (await put(HOOK)).body;
    const recover = (body: object) => on(`/${id}/recover`, { method: 'POST', body }).then(refusal);
    for (const body of [
      {},
      { since: '2026-01-01T00:00:00Z', after: '0' },
      { since: 'yesterday' },
      { since: 5 },
      { since: null, after: null },
    ])
      expect(await recover(body)).toEqual(INVALID);
    for (const after of ['', 'x', '-1', '9'.repeat(200)]) expect(await recover({ after })).toEqual(INVALID);
  });

  test('in any body is never answered with 500', async () => {
    const { put } = await newUser();
    const url = fc.oneof(fc.webUrl(), fc.string(), fc.constantFrom('http://[::1]', 'https://a.b', 'http://1.1.1.1'), fc.jsonValue());
    const events = fc.oneof(fc.array(fc.oneof(fc.constantFrom('*', 'stream.*', 'group.created'), fc.string())), fc.jsonValue());
    const body = fc.record({ id: fc.jsonValue(), url, events, enabled: fc.jsonValue(), description: fc.jsonValue() }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(body, async (given) => {
        const { status, body: answer } = await put(given, { body: JSON.stringify(given), headers: { 'content-type': 'application/json' } });
        if (status !== 200) expect([[400, 403].includes(status), typeof answer.internalErrorName]).toEqual([true, 'string']);
        else expect(answer).toMatchObject({ enabled: expect.any(Boolean), url: expect.stringMatching(/^https?:/) });
      }),
      { numRuns: 300 },
    );
  });
});

describe('simultaneous requests', () => {
  test('create twenty of thirty endpoints, and none is 409', async () => {
    const { on, put } = await newUser();
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => put({ ...HOOK, enabled: i % 2 === 0 })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(20).fill(200), ...Array(10).fill(400)]);
    const refused = answers.filter(({ status }) => status === 400);
    expect(refused.map(refusal)).toEqual(refused.map(() => [400, 'WEBHOOK_ENDPOINTS_DEFINITION_LIMIT_REACHED']));
    expect((await on('')).body).toHaveLength(20);
  });

  test('of one user are decided one after another, and each sees the previous ones', async () => {
    const { on, put, events } = await newUser();
    const { id } = (await put(HOOK)).body;
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => on(`/${id}/enabled/${i % 2 === 0 ? 'false' : 'true'}`, { method: 'PATCH' })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const last = (await events()).at(-1);
    expect((await on(`/${id}`)).body.enabled).toBe(last?.type === 'EndpointToggled' && 'enabled' in last.data && last.data.enabled);
  });

  test('with the same If-Match are accepted once', async () => {
    const { on, put } = await newUser();
    const created = await put(HOOK);
    const headers = { 'If-Match': created.headers.get('etag') ?? '' };
    const path = `/${created.body.id}`;
    const answers = await Promise.all([
      put({ ...HOOK, id: created.body.id, description: 'a' }, { headers }),
      put({ ...HOOK, id: created.body.id, description: 'b' }, { headers }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(refusal(await on(path, { method: 'DELETE', headers }))).toEqual(CONFLICT);
    expect(refusal(await on(`${path}/enabled/false`, { method: 'PATCH', headers }))).toEqual(CONFLICT);
    expect(refusal(await put(HOOK, { headers: { 'If-Match': '*' } }))).toEqual(CONFLICT);
    const present = { 'If-Match': (await on(path)).headers.get('etag') ?? '' };
    expect((await on(path, { method: 'DELETE', headers: present })).status).toBe(204);
  });

  test('that toggle an endpoint to its state append nothing', async () => {
    const { on, put, events } = await newUser();
    const { id } = (await put(HOOK)).body;
    expect((await on(`/${id}/enabled/true`, { method: 'PATCH' })).status).toBe(200);
    expect((await events()).map(({ type }) => type)).toEqual(['EndpointCreated']);
  });
});

describe('secrets', () => {
  test('are shown to their owner, rotate, and keep signing for a day', async () => {
    const clock = new ManualClock();
    const { on, put, events } = await newUser(await start(clock));
    const { id } = (await put(HOOK)).body;
    const before = (await on(`/${id}/secret`)).body;
    expect(Object.keys(before)).toEqual(['secret']);
    expect(before.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const rotated = await on(`/${id}/secret/rotate`, { method: 'POST' });
    expect([rotated.status, rotated.body.previousValidUntil]).toEqual([200, new Date(clock.now() + 86_400_000).toISOString()]);
    expect(rotated.body.secret).not.toBe(before.secret);
    expect((await on(`/${id}/secret`)).body.secret).toBe(rotated.body.secret);
    expect(JSON.stringify((await events()).map(({ data }) => data))).not.toContain(before.secret.slice(6));
    expect((await on('')).text).not.toContain('whsec_');
  });

  test("differ for each endpoint, each user's account and each installation", async () => {
    const { on, put } = await newUser();
    const { key } = await newUser();
    const [a, b] = [(await put(HOOK)).body.id, (await put(HOOK)).body.id];
    const secrets = [
      (await on(`/${a}/secret`)).body.secret,
      (await on(`/${b}/secret`)).body.secret,
      (await on('/account-secret')).body.secret,
      (await on('/account-secret', { key })).body.secret,
      (await call((await start()).url, `${ENDPOINTS}/account-secret`)).body.secret,
    ];
    expect(new Set(secrets).size).toBe(5);
    const rotated = await on('/account-secret/rotate', { method: 'POST' });
    expect(Object.keys(rotated.body)).toEqual(['secret', 'previousValidUntil']);
    expect((await on('/account-secret')).body.secret).toBe(rotated.body.secret);
    expect((await on('/account-secret', { key })).body.secret).toBe(secrets[3]);
  });

  test('differ for simultaneous rotations', async () => {
    const { on, put } = await newUser();
    const { id } = (await put(HOOK)).body;
    const rotations = await Promise.all([1, 2, 3, 4].map(() => on(`/${id}/secret/rotate`, { method: 'POST' })));
    expect(new Set(rotations.map(({ body }) => body.secret)).size).toBe(4);
  });
});

test('addresses, descriptions, filters and values of headers are stored encrypted', async () => {
  const { put, subject } = await newUser();
  const personal = {
    description: 'very private words',
    headers: { 'X-Token': 'very-private-token' },
    filter: { name: 'very private name' },
  };
  await put({ url: 'https://example.org/very-private-path', events: ['*'], ...personal });
  const all = await server.platform.log.readStored({ after: null, limit: 10_000 });
  const stored = JSON.stringify(all.filter(({ metadata }) => metadata.subject === subject).map(({ type, data }) => [type, data]));
  expect(stored).toContain('EndpointCreated');
  expect(stored).not.toMatch(/very.private/);
});

test('an endpoint that the platform disabled shows the reason', async () => {
  const { on, put, subject } = await newUser();
  const { id } = (await put(HOOK)).body;
  const context = { subject, actor: 'deliverer', correlationId: 'c', causationId: 'c' };
  await disableWebhookEndpoint(
    server.platform,
    {
      endpointId: id,
      reason: 'The receiver answered 410 Gone',
      dynamic: false,
      report: { since: '2026-01-01T00:00:00.000Z', lastSuccess: null, failures: 1 },
    },
    context,
  );
  expect((await on(`/${id}`)).body).toMatchObject({ enabled: false, disabledReason: 'The receiver answered 410 Gone' });
});

describe('a request to the deliverer', () => {
  test('for a ping is answered with its delivery once accepted', async () => {
    const { on, put, subject, events } = await newUser();
    holder(subject, {});
    const { id } = (await put({ ...HOOK, enabled: false })).body;
    const { status, body } = await on(`/${id}/test`, { method: 'POST' });
    const [, request] = await events();
    expect([status, body]).toEqual([202, { deliveryId: expect.any(String) }]);
    expect(request).toMatchObject({ type: 'PingRequested', data: { endpointId: id, deliveryId: body.deliveryId } });
  });

  test('for a recovery is answered with the number of scheduled deliveries, even over several facts', async () => {
    const { on, put, subject, events } = await newUser();
    holder(subject, {
      facts: [
        { scheduled: 300, last: false },
        { scheduled: 417, last: true },
      ],
    });
    const { id } = (await put(HOOK)).body;
    const since = await on(`/${id}/recover`, { method: 'POST', body: { since: '2026-01-01T02:00:00+02:00' } });
    expect([since.status, since.body]).toEqual([202, { scheduled: 417 }]);
    const after = String(await server.platform.log.head());
    expect((await on(`/${id}/recover`, { method: 'POST', body: { after } })).status).toBe(202);
    const requests = (await events()).filter(({ type }) => type === 'RecoveryRequested').map(({ data }) => data);
    expect(requests).toEqual([
      { endpointId: id, since: '2026-01-01T00:00:00.000Z', after: null },
      { endpointId: id, since: null, after },
    ]);
  });

  test('for a recovery accepts the ISO times of reports and the audit, in UTC by default', async () => {
    const { on, put, subject, events } = await newUser();
    holder(subject, {});
    const { id } = (await put(HOOK)).body;
    const recover = (since: string) => on(`/${id}/recover`, { method: 'POST', body: { since } });
    const forms = ['2026-01-01', '2026-01-01T00:00', '2026-01-01T00:00:00.000', '2026-01-01T02:00:00+0200', '2026-01-01T02:00:00+02'];
    for (const since of forms) expect([since, (await recover(since)).status]).toEqual([since, 202]);
    const asked = (await events()).filter(({ type }) => type === 'RecoveryRequested').map(({ data }) => data);
    expect(asked).toEqual(forms.map(() => ({ endpointId: id, since: '2026-01-01T00:00:00.000Z', after: null })));
    expect(refusal(await recover('2026-02-30T00:00:00Z'))).toEqual(INVALID);
  });

  test('for a recovery of a disabled endpoint is 409', async () => {
    const { on, put } = await newUser();
    const { id } = (await put({ ...HOOK, enabled: false })).body;
    expect(refusal(await on(`/${id}/recover`, { method: 'POST', body: { since: '2026-01-01T00:00:00Z' } }))).toEqual(CONFLICT);
  });

  test('for a resend is accepted, 409 while the delivery is pending, 404 if unknown', async () => {
    for (const [refused, status] of [
      [null, 202],
      ['pending', 409],
      ['unknown', 404],
    ] as const) {
      const { on, put, subject } = await newUser();
      holder(subject, { facts: [{ refused }] });
      const { id } = (await put(HOOK)).body;
      const answer = await on(`/${id}/deliveries/${UNKNOWN}/resend`, { method: 'POST' });
      expect([answer.status, answer.body?.internalErrorName]).toEqual([
        status,
        { 202: undefined, 409: 'GENERAL_CONFLICT_ERROR', 404: 'GENERAL_NOT_FOUND_ERROR' }[status],
      ]);
    }
  });

  test('is 503 with Retry-After if no deliverer answers in ten seconds', async () => {
    const clock = new ManualClock();
    const { on, put } = await newUser(await start(clock));
    const { id } = (await put(HOOK)).body;
    const answer = on(`/${id}/test`, { method: 'POST', expects503: true });
    await eventually(() => expect(clock.sleeping).toBeGreaterThan(0));
    await clock.advance(10_000);
    expect([(await answer).status, (await answer).headers.get('retry-after')]).toEqual([503, '2']);
  });
});

type Fact = Extract<DeliveryEvent, { type: 'DeliveriesRecovered' }>['data'];

/** Replaces the holder of a partition: answers each request with the given facts. */
const holder = (subject: string, { facts = [{}] }: { facts?: Partial<Fact>[] }): void => {
  const { log } = server.platform;
  const over = new AbortController();
  onTestFinished(() => over.abort());
  let head: StreamHead = { revision: 'no stream', hash: null };
  const follow = async (): Promise<void> => {
    for await (const item of log.subscribe({
      after: null,
      filter: { prefixes: [webhookEndpointsEventStream(subject)] },
      signal: over.signal,
    })) {
      if (item.kind !== 'event' || !item.event.type.endsWith('Requested')) continue;
      const { id, position, metadata } = item.event;
      for (const fact of facts) {
        const data = { requestEventId: id, requestPosition: position, renderer: 1, deadline: metadata.time, once: true, ...NONE, ...fact };
        const context = { subject, actor: 'deliverer', correlationId: id, causationId: id };
        const appended = await log.append(deliveryEventStream(subject), head, [{ type: 'DeliveriesRecovered', data }], context);
        head = appended.head;
      }
    }
  };
  void follow();
};
const NONE = { deliveries: [], scheduled: 0, last: true, refused: null };
