import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { Receiver } from '../receiver.ts';
import { call, PING_TEMPLATE, TEXT_TEMPLATE, upload } from './client.ts';
import { embeddedOnly } from './clusterForm.ts';
import { type RunningServer, startServer } from './server.ts';
import { tributary } from './tributary.ts';

const CREDENTIALS = '/credential-service/api/v1/credentials';
const ENDPOINTS = '/notification-service/api/v1/webhook-endpoints';
const OPERATIONS = '/operations-service/api/v1';
const AUDIT = '/audit-service/api/v1';
const TEMPLATES = '/stream-configuration-service/api/v1/stream-configuration-templates';

let server: RunningServer;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await Receiver.start();
  server = await startServer({ environment: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', SEAL_INTERVAL_S: '1', SEAL_EVENTS: '5' } });
});
afterAll(async () => {
  await server.kill();
  await receiver.close();
});

const issued = async (role: string, label: string) =>
  (await call(server.url, CREDENTIALS, { method: 'POST', body: { kind: 'api-key', role, label } })).body;

describe('a credential', () => {
  test('shows when it was last used, to the minute, and who issued it; null before its first use', async () => {
    const { body: self } = await call(server.url, `${CREDENTIALS}/self`);
    const made = await issued('user', 'rarely used');
    const before = await call(server.url, `${CREDENTIALS}/${made.id}`);
    expect(before.body).toMatchObject({ lastUsedTimestamp: null, issuedBy: self.credential.id });
    const minute = Math.floor(Date.now() / 60_000) * 60_000;
    expect((await call(server.url, `${CREDENTIALS}/self`, { key: made.secret })).status).toBe(200);
    const { body: after } = await call(server.url, `${CREDENTIALS}/${made.id}`);
    expect(after.lastUsedTimestamp).toMatch(/:00\.000Z$/);
    expect(Date.parse(after.lastUsedTimestamp)).toBeGreaterThanOrEqual(minute);
    const { body: list } = await call(server.url, `${CREDENTIALS}?subject=${made.subject}`);
    expect(list.content[0].lastUsedTimestamp).toBe(after.lastUsedTimestamp);
  });
});

describe('deliveries of an endpoint', () => {
  test('name their stream, are searched by stream, type and webhook-id, and show their body', async () => {
    const { secret: key } = await issued('user', 'webhook owner');
    const { secret: stranger } = await issued('user', 'stranger');
    const draft = { url: receiver.url('/hook'), events: ['stream.*'] };
    const { body: endpoint } = await call(server.url, ENDPOINTS, { method: 'PUT', key, body: draft });
    const [first, second] = [
      (await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'one', { key })).body.streamId,
      (await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'two', { key })).body.streamId,
    ];
    const list = `${ENDPOINTS}/${endpoint.id}/deliveries`;
    const found = async (query: string) => (await call(server.url, `${list}?${query}`, { key })).body.content;
    await eventually(async () => expect(await found('size=100&state=delivered')).toHaveLength(4));
    const ofFirst = await found(`streamId=${first}`);
    expect(ofFirst.map(({ type }: { type: string }) => type).sort()).toEqual(['stream.completed', 'stream.ready']);
    expect(new Set(ofFirst.map(({ streamId }: { streamId: string }) => streamId))).toEqual(new Set([first]));
    const completed = await found('type=stream.completed');
    expect(completed.map(({ streamId }: { streamId: string }) => streamId).sort()).toEqual([first, second].sort());
    const [one] = await found(`eventId=${ofFirst[0].eventId}`);
    expect(one.deliveryId).toBe(ofFirst[0].deliveryId);
    const payload = await call(server.url, `${list}/${one.deliveryId}/payload`, { key });
    const sent = receiver.at('/hook').find(({ headers }) => headers['webhook-id'] === one.eventId);
    expect(payload.text).toBe(sent?.body.toString());
    expect((await call(server.url, `${list}/${one.deliveryId}/payload`, { key: stranger })).status).toBe(404);
    expect((await call(server.url, `${list}/00000000-0000-4000-8000-000000000000/payload`, { key })).status).toBe(404);
  });
});

describe('the operations API', () => {
  test('shows version, disk, queues, engines and nodes to administrators only', async () => {
    const { body: system } = await call(server.url, `${OPERATIONS}/system`);
    expect(system).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      nodeVersion: process.version,
      queues: { deliveries: { due: expect.any(Number) } },
    });
    expect(system.queues.runningStreams).toEqual(system.form === 'embedded' ? { running: expect.any(Number), limit: 10_000 } : null);
    const { body: nodes } = await call(server.url, `${OPERATIONS}/nodes`);
    expect(nodes.filter(({ self }: { self: boolean }) => self)).toHaveLength(1);
    expect(nodes[0]).toMatchObject({ alive: true, host: expect.any(String), roles: expect.any(Array) });
    const { body: engines } = await call(server.url, `${OPERATIONS}/engines`);
    expect(engines.map(({ kind }: { kind: string }) => kind)).toEqual(expect.arrayContaining(['decoder', 'language model']));
    const { secret } = await issued('auditor', 'no administrator');
    for (const name of ['system', 'nodes', 'engines'])
      expect((await call(server.url, `${OPERATIONS}/${name}`, { key: secret })).status).toBe(403);
  });

  test.skipIf(embeddedOnly('data directory'))('shows the disk and the newest backup', async () => {
    const { body: before } = await call(server.url, `${OPERATIONS}/system`);
    expect(before.disk.totalBytes).toBeGreaterThan(before.disk.freeBytes);
    expect(before.lastBackup).toBeNull();
    const directory = `${server.dataDir}-backup`;
    expect((await tributary(server.dataDir, ['backup', directory])).code).toBe(0);
    const { body: after } = await call(server.url, `${OPERATIONS}/system`);
    expect(after.lastBackup).toMatchObject({ directory, verified: true, bytes: expect.any(Number) });
  });
});

describe('the audit API', () => {
  test('names the actors of a page and the types of each category, and exports the seals', async () => {
    const auditor = await issued('auditor', 'the auditor');
    const key = auditor.secret;
    await call(server.url, `${AUDIT}/events?size=1`, { key });
    const { body: page } = await call(server.url, `${AUDIT}/events?category=audit&size=5`, { key });
    expect(page.actors).toContainEqual({ id: auditor.id, label: 'the auditor', role: 'auditor', subject: auditor.subject });
    const { body: kinds } = await call(server.url, `${AUDIT}/event-types`, { key });
    expect(kinds).toContainEqual({ category: 'audit', types: ['LogRead', 'SubjectErased'] });
    await eventually(async () => {
      const { text, headers } = await call(server.url, `${AUDIT}/seals`, { key });
      expect(headers.get('content-type')).toBe('application/x-ndjson');
      const lines = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(lines[0]).toMatchObject({ algorithm: 'ES256', publicKey: expect.stringContaining('BEGIN PUBLIC KEY') });
      expect(lines.at(-1)).toMatchObject({ type: 'LogSealed' });
      return true;
    });
  });

  test('shows with a verification its time, the head at that time, and the newest seal', async () => {
    await eventually(async () => {
      const { body } = await call(server.url, `${AUDIT}/verify`);
      expect(body).toMatchObject({
        ok: true,
        head: expect.any(String),
        seal: { signature: expect.any(String), keyId: expect.any(String) },
      });
      expect(Math.abs(Date.parse(body.verifiedTimestamp) - Date.now())).toBeLessThan(60_000);
      return true;
    });
  });

  test('follows the log: new events appear as they are appended, and the read is recorded once', async () => {
    const { secret: key, subject } = await issued('auditor', 'a follower');
    const leaving = new AbortController();
    const response = await fetch(`${server.url}${AUDIT}/events?follow=true&category=stream`, {
      headers: { authorization: `Basic ${key}`, accept: 'application/x-ndjson' },
      signal: leaving.signal,
    });
    const { body: stream } = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'followed');
    let text = '';
    for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes('StreamCompleted')) break;
    }
    leaving.abort();
    const [first] = text.split('\n');
    expect(JSON.parse(first ?? '')).toMatchObject({ eventStream: `stream-${stream.streamId}`, type: 'StreamCreated' });
    const { body: trail } = await call(server.url, `${AUDIT}/events?eventStream=audit-${subject}`);
    expect(trail.content).toHaveLength(1);
    expect((await call(server.url, `${AUDIT}/events?follow=true`, { key })).status).toBe(400);
  });
});

describe('a built-in template', () => {
  test('is shown as shipped, and as it is below a private copy', async () => {
    const { secret: key } = await issued('user', 'copier');
    const path = `${TEMPLATES}/${TEXT_TEMPLATE}`;
    const jsonPatches = [{ op: 'replace', path: 'processors/llm/properties/summary/enabled', value: true }];
    expect((await call(server.url, path, { method: 'PATCH', key, body: { jsonPatches } })).status).toBe(200);
    const enabled = async (layer: string) => {
      const { body } = await call(server.url, `${path}${layer}`, { key });
      return [body.origin, body.processors[0].properties.summary.enabled];
    };
    expect(await enabled('')).toEqual(['copy', true]);
    expect(await enabled('?layer=builtin')).toEqual(['built-in', false]);
    const admin = { jsonPatches: [{ op: 'replace', path: 'processors/llm/properties/summary/enabled', value: true }] };
    expect((await call(server.url, `${path}?scope=builtin`, { method: 'PATCH', body: admin })).status).toBe(200);
    expect(await enabled('?layer=builtin')).toEqual(['built-in', true]);
    expect(await enabled('?layer=shipped')).toEqual(['built-in', false]);
    expect((await call(server.url, `${path}?scope=builtin`, { method: 'DELETE' })).status).toBe(204);
  });
});
