import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import patches from 'fast-json-patch';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { eventually, IN_A_SECOND } from '../eventually.ts';
import { Receiver } from '../receiver.ts';
import { call, PING_TEMPLATE, streamEnd, upload } from './client.ts';
import { embeddedOnly } from './clusterForm.ts';
import { type RunningServer, startServer } from './server.ts';

const AUDIT = '/audit-service/api/v1';
let server: RunningServer;
let auditor: { secret: string; subject: string };
let user: { secret: string; subject: string };
let streamId = '';

const issue = async (role: string, label: string) => {
  const { status, body } = await call(server.url, '/credential-service/api/v1/credentials', {
    method: 'POST',
    body: { kind: 'api-key', label, role },
  });
  expect(status).toBe(201);
  return body;
};

const uploaded = async (key: string, name: string): Promise<string> => {
  const { status, body } = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE, name, persist: 'true' }, 'some bytes', {
    key,
  });
  expect(status).toBe(200);
  return body.streamId;
};

// biome-ignore lint/suspicious/noExplicitAny: as Answer.body
const lines = (text: string): any[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

beforeAll(async () => {
  server = await startServer({ environment: { SEAL_INTERVAL_S: '1', SEAL_EVENTS: '20', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } });
  auditor = await issue('auditor', 'the auditor');
  user = await issue('user', 'Zacharias Private');
  streamId = await uploaded(user.secret, 'a first stream');
  await streamEnd(server.url, streamId).catch(() => undefined);
});
afterAll(() => server.kill());

const audit = (path: string, options: Parameters<typeof call>[2] = {}) =>
  call(server.url, `${AUDIT}${path}`, { key: auditor.secret, ...options });

describe('the audit events', () => {
  test('are shown newest first in pages, only to auditors and admins', async () => {
    expect((await audit('/events', { key: user.secret })).status).toBe(403);
    expect((await audit('/events', { key: null })).status).toBe(401);
    const { status, body } = await audit('/events?size=3');
    expect(status).toBe(200);
    expect(body.content).toHaveLength(3);
    const positions = body.content.map(({ position }: { position: string }) => position);
    expect(positions).toEqual([...positions].sort().reverse());
    expect(body.next).toBe(positions[2]);
    const [event] = body.content;
    expect(Object.keys(event).sort()).toEqual(['data', 'eventStream', 'id', 'metadata', 'position', 'revision', 'type']);
    expect(event).toMatchObject({ revision: expect.stringMatching(/^\d+$/), position: expect.any(String) });
    expect((await call(server.url, `${AUDIT}/events?size=1`)).status).toBe(200);
  });

  test('come in shorter pages if they are large, each once', async () => {
    const text = 'x'.repeat(60_000);
    const processors = [{ id: 'echo', processorDeclarationId: 'echo', destinationTopicHeaders: { text } }];
    const template = { method: 'PUT', body: { name: 'Large', processors } };
    for (let n = 0; n < 90; n += 1)
      expect((await call(server.url, '/stream-configuration-service/api/v1/stream-configuration-templates', template)).status).toBe(200);
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const from: string = after === '' ? '' : `&after=${after}`;
      const { body, text: json } = await call(server.url, `/audit-service/api/v1/events?category=templates&order=asc&size=100${from}`);
      sizes.push(json.length);
      seen.push(...body.content.map(({ id }: { id: string }) => id));
      after = body.next;
    }
    expect(Math.max(...sizes)).toBeLessThan(5_000_000);
    expect(sizes.length).toBeGreaterThan(1);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThanOrEqual(90);
  });

  test('appear once each, whatever is appended while they are read', async () => {
    const growing = Promise.all(Array.from({ length: 20 }, (_, n) => uploaded(user.secret, `growing ${n}`)));
    const ids: string[] = [];
    for (let after = ''; ; ) {
      const { body } = await audit(`/events?order=asc&size=10${after && `&after=${after}`}`);
      ids.push(...body.content.map(({ id }: { id: string }) => id));
      if (body.next === null) break;
      after = body.next;
    }
    await growing;
    const streamed = lines((await audit('/events?order=asc', { headers: { accept: 'application/x-ndjson' } })).text);
    expect(new Set(ids).size).toBe(ids.length);
    expect(streamed.slice(0, ids.length).map(({ id }) => id)).toEqual(ids);
    const down = lines((await audit('/events', { headers: { accept: 'application/x-ndjson' } })).text).map(({ id }) => id);
    expect(down.slice(-streamed.length).reverse()).toEqual(streamed.map(({ id }) => id));
    const rather = await audit('/events', { headers: { accept: 'application/json, application/x-ndjson;q=0.5' } });
    expect(rather.headers.get('content-type')).toBe('application/json');
  });

  test('are filtered by event stream, category, type, subject, correlation and time', async () => {
    const found = async (query: string) => (await audit(`/events?order=asc&size=1000&${query}`)).body.content;
    const story = await found(`eventStream=stream-${streamId}`);
    expect(story.map(({ type }: { type: string }) => type)).toEqual(
      expect.arrayContaining(['StreamCreated', 'UploadCompleted', 'ProcessorStarted', 'ProcessorCompleted', 'StreamCompleted']),
    );
    expect(story[0].data.name).toBe('a first stream');
    const created = await found('category=stream&type=StreamCreated');
    expect(
      created.every(
        ({ type, eventStream }: { type: string; eventStream: string }) => type === 'StreamCreated' && eventStream.startsWith('stream-'),
      ),
    ).toBe(true);
    expect(created.length).toBeGreaterThan(20);
    const own = await found(`subject=${auditor.subject}`);
    expect(new Set(own.map(({ eventStream }: { eventStream: string }) => eventStream))).toEqual(
      new Set([`credentials-${auditor.subject}`, `audit-${auditor.subject}`]),
    );
    const correlated = await found(`correlationId=${story[0].metadata.$correlationId}`);
    expect(correlated.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining([story[0].id]));
    const { time } = story[0].metadata;
    expect((await found(`from=${time}&to=${time}`)).map(({ id }: { id: string }) => id)).toContain(story[0].id);
    expect(await found('type=Never')).toEqual([]);
    for (const wrong of ['order=up', 'size=0', 'size=x', 'from=yesterday', 'after=nowhere', 'size=1&size=2'])
      expect([wrong, (await audit(`/events?${wrong}`)).status]).toEqual([wrong, 400]);
  });

  test('are found by id; an unknown id is 404', async () => {
    const { body } = await audit(`/events?eventStream=stream-${streamId}&order=asc&size=1`);
    expect((await audit(`/events/${body.content[0].id}`)).body).toEqual({ ...body.content[0], corrections: null, actors: body.actors });
    expect((await audit('/events/00000000-0000-4000-8000-000000000000')).status).toBe(404);
    expect((await audit('/events/nonsense')).status).toBe(404);
  });

  test('cannot be changed: other methods are 405', async () => {
    for (const path of ['/events', '/verify', `/event-streams/stream-${streamId}`, '/events/x']) {
      const answer = await audit(path, { method: 'POST' });
      expect([path, answer.status]).toEqual([path, 405]);
      expect(answer.headers.get('allow')).toContain('GET');
    }
    expect((await audit(`/subjects/${user.subject}`)).status).toBe(405);
    expect((await audit(`/subjects/${user.subject}`, { method: 'DELETE' })).status).toBe(403);
  });

  test('are recorded when an auditor reads them, one record per request', async () => {
    const reads = async () => (await audit(`/event-streams/audit-${auditor.subject}`)).body;
    const before = await reads();
    await audit('/events?type=Never&size=7');
    const after = await reads();
    expect(after.state.reads - before.state.reads).toBe(2);
    const newest = (await audit(`/events?eventStream=audit-${auditor.subject}&size=3`)).body.content;
    expect(newest[1].data).toEqual({ operation: 'events', parameters: { type: 'Never', size: '7', order: 'desc', form: 'readable' } });
  });
});

describe('the state of an event stream', () => {
  test('is shown as of a revision or a time, with the difference between two moments', async () => {
    const at = async (query: string) => (await audit(`/event-streams/stream-${streamId}?${query}`)).body;
    const first = await at('asOf=0');
    expect(first).toMatchObject({ eventStream: `stream-${streamId}`, revision: '0', asOf: '0', state: { stream: { state: 'READY' } } });
    const now = await at('');
    expect(now).toMatchObject({ asOf: null, state: { stream: { state: 'COMPLETED' } } });
    const { body } = await audit(`/events?eventStream=stream-${streamId}&order=asc`);
    const [created, second] = body.content;
    expect((await at(`asOf=${created.metadata.time}`)).state.stream.createdTimestamp).toBe(created.metadata.time);
    expect((await at(`asOf=${second.revision}`)).revision).toBe('1');
    const compared = await at(`asOf=0&compareWith=${now.revision}`);
    expect(patches.applyPatch(first.state, compared.difference).newDocument).toEqual(now.state);
    expect((await audit(`/event-streams/stream-${streamId}?asOf=2020-01-01T00:00:00Z`)).status).toBe(404);
    expect((await audit('/event-streams/stream-nobody')).status).toBe(404);
    expect((await audit(`/event-streams/stream-${streamId}?asOf=soon`)).status).toBe(400);
  });

  test('is shown for every category', async () => {
    const key = { key: user.secret };
    const endpoint = { url: 'https://example.com/hook', events: ['stream.*'] };
    await call(server.url, '/notification-service/api/v1/webhook-endpoints', { method: 'PUT', body: endpoint, ...key });
    const template = `/stream-configuration-service/api/v1/stream-configuration-templates/${PING_TEMPLATE}`;
    const { name, processors } = (await call(server.url, template, key)).body;
    await call(server.url, '/stream-configuration-service/api/v1/stream-configuration-templates', {
      method: 'PUT',
      body: { name: `${name} of my own`, processors },
      ...key,
    });
    const keyed = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'bytes', {
      ...key,
      headers: { 'idempotency-key': 'once' },
    });
    const own = ['credentials', 'webhookEndpoints', 'templates', 'delivery'].map((category) => `${category}-${user.subject}`);
    const names = [...own, `uploadKey-${keyed.body.streamId}`, `audit-${auditor.subject}`, 'seals'];
    await eventually(async () => expect((await audit(`/event-streams/delivery-${user.subject}`)).status).toBe(200));
    const { body } = await audit('/events?category=group&size=1');
    await eventually(async () => expect((await audit('/event-streams/seals')).status).toBe(200));
    for (const name of [...names, body.content[0].eventStream])
      expect([name, (await audit(`/event-streams/${name}?asOf=0&compareWith=0`)).body]).toMatchObject([
        name,
        { revision: '0', difference: [] },
      ]);
  });
});

test('the log verifies and is sealed', async () => {
  const verdict = await eventually(async () => {
    const { body } = await audit('/verify');
    expect(body).toMatchObject({ ok: true, checked: expect.any(Number), firstBroken: null });
    expect(body.sealed).toEqual(expect.stringMatching(/^\d{20}(:\d{20})?$/));
    return body;
  });
  expect(verdict.checked).toBeGreaterThan(50);
  expect((await audit(`/verify?eventStream=stream-${streamId}`)).body).toMatchObject({ ok: true, firstBroken: null });
  expect((await audit('/verify?eventStream=stream-nobody')).status).toBe(404);
});

const files = (directory: string): string[] =>
  readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    const stat = statSync(path);
    return stat.isDirectory() ? files(path) : stat.isFile() ? [path] : [];
  });
const holding = (text: string) => files(server.dataDir).filter((path) => readFileSync(path).includes(text));

describe('erasure', () => {
  const erase = (subject: string) => call(server.url, `${AUDIT}/subjects/${subject}`, { method: 'DELETE' });

  test.skipIf(embeddedOnly('data directory'))('leaves nothing of the person readable in any file, and the log verifies', async () => {
    const person = await issue('user', 'PLANTED-label');
    const query = { streamConfigurationTemplateId: PING_TEMPLATE, name: 'PLANTED-name', persist: 'true' };
    const first = await upload(server.url, query, 'PLANTED-bytes', { key: person.secret });
    expect(first.status).toBe(200);
    await streamEnd(server.url, first.body.streamId).catch(() => undefined);
    // The report counts what the read models contain.
    await eventually(async () => {
      const { body } = await call(server.url, '/stream-service/api/v1/streams', { key: person.secret });
      return body.totalElements === 1;
    });
    expect(holding('PLANTED-').length).toBeGreaterThan(0);
    const report = await erase(person.subject);
    expect(report.status).toBe(200);
    expect(report.body).toMatchObject({ subject: person.subject, credentialsRevoked: 1, keysDestroyed: 1, documentsDestroyed: 4 });
    expect(report.body.topicsDestroyed).toBeGreaterThan(0);
    expect(holding('PLANTED-')).toEqual([]);
    await eventually(
      async () => (await call(server.url, '/stream-service/api/v1/streams', { key: person.secret })).status === 401,
      IN_A_SECOND,
    );
    const { body: events } = await audit(`/events?eventStream=stream-${first.body.streamId}&order=asc`);
    expect(events.content[0].data.name).toBeNull();
    expect((await audit(`/event-streams/stream-${first.body.streamId}`)).body.state.stream).toMatchObject({
      name: null,
      state: 'EXPIRED',
    });
    expect((await audit('/verify')).body).toMatchObject({ ok: true, firstBroken: null });
    const again = await erase(person.subject);
    expect(again.status).toBe(200);
    expect(again.body).toEqual({
      subject: person.subject,
      streamsCanceled: 0,
      deliveriesDropped: 0,
      credentialsRevoked: 0,
      keysDestroyed: 0,
      documentsDestroyed: 0,
      topicsDestroyed: 0,
    });
  });

  test('drops pending deliveries, also of dynamic webhooks, which do not receive the erasure', async () => {
    const person = await issue('user', 'person');
    const to = await Receiver.start();
    onTestFinished(() => to.close());
    to.answerStatus('/', 500);
    const query = { streamConfigurationTemplateId: PING_TEMPLATE, 'webhook.stream': to.url('/'), persist: 'true' };
    const { body } = await upload(server.url, query, 'bytes', { key: person.secret });
    const deliveries = async () =>
      (await call(server.url, `/notification-service/api/v1/webhook-endpoints/dynamic/${body.streamId}/deliveries`)).body.content;
    await eventually(async () => expect((await deliveries()).map(({ state }: { state: string }) => state)).toEqual(['pending', 'pending']));
    await eventually(() => expect(to.received.length).toBeGreaterThan(0));
    expect((await erase(person.subject)).body.deliveriesDropped).toBe(2);
    expect((await erase(person.subject)).body.deliveriesDropped).toBe(0);
    await eventually(async () => expect((await deliveries()).map(({ state }: { state: string }) => state)).toEqual(['failed', 'failed']));
    expect(to.types('/')).not.toContain('stream.expired');
  });

  test('of an unknown subject is 404', async () => {
    expect((await erase('00000000-0000-4000-8000-000000000000')).status).toBe(404);
    expect((await erase('nonsense')).status).toBe(404);
  });
});

describe('the operations service', () => {
  test('is for admins only, and rebuilds while serving', async () => {
    const operations = (path: string, options: Parameters<typeof call>[2] = {}) =>
      call(server.url, `/operations-service/api/v1${path}`, options);
    expect((await operations('/projections', { key: auditor.secret })).status).toBe(403);
    const { body } = await operations('/projections');
    expect(body.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['streams', 'groups', 'usage', 'credentials']));
    const rebuild = async (name: string) => (await operations(`/projections/${name}/rebuild`, { method: 'POST' })).status;
    expect(await rebuild('streams')).toBe(202);
    await eventually(async () => (await Promise.all([rebuild('streams'), rebuild('streams')])).includes(409));
    expect(await rebuild('nothing')).toBe(404);
    // The refusal is logged before the line of its request.
    await eventually(() => server.log().includes('/projections/nothing/rebuild'));
    expect(server.log()).not.toContain('rebuild failed');
    await eventually(async () => {
      const rows = (await operations('/projections')).body.filter(({ name }: { name: string }) => name === 'streams');
      expect(rows).toHaveLength(1);
      expect(rows[0].state).toBe('live');
      return true;
    });
    expect((await call(server.url, `/stream-service/api/v1/streams?subject=${user.subject}&size=1`)).body.totalElements).toBe(22);
    for (const path of ['/leases', '/partitions', '/stores']) expect([path, (await operations(path)).status]).toEqual([path, 200]);
  });
});

test.skipIf(embeddedOnly('data directory'))(
  'erased data stays absent from every file after a restart, and the log still verifies',
  async () => {
    expect(await server.stop()).toBe(0);
    expect(holding('PLANTED-')).toEqual([]);
    const again = await startServer({ dataDir: server.dataDir });
    expect((await call(again.url, `${AUDIT}/verify`)).body).toMatchObject({ ok: true });
    expect(holding('PLANTED-')).toEqual([]);
  },
);
