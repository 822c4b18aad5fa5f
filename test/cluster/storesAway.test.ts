import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { call, getStream, PING_TEMPLATE, readCaughtUp, streamEnd, upload } from '../e2e/client.ts';
import { startFakeBackends } from '../e2e/clusterForm.ts';
import { type Launched, launch } from '../e2e/launch.ts';
import { settings } from '../e2e/server.ts';
import { eventually } from '../eventually.ts';
import { startEventStoreDb } from '../fakes/eventStoreDb/startEventStoreDb.ts';
import { type FaultyMongo, startFaultyMongo } from '../fakes/mongodb/faultyMongo.ts';
import { recovered } from '../faults/recovery.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { TTL } from './node.ts';

vi.setConfig({ testTimeout: 60 * TTL, hookTimeout: 40 * TTL });

const PING = { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' };
const LONG = 20 * TTL;

let mongo: FaultyMongo;
let stop: () => Promise<void>;
let node: Launched;
let url: string;
let backends: Awaited<ReturnType<typeof startFakeBackends>>;

beforeAll(async () => {
  mongo = await startFaultyMongo();
  backends = await startFakeBackends(mongo.freshUrl());
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-cluster-'));
  node = launch(settings({ ...backends.environment, DATA_DIR: dataDir }));
  url = await node.ready;
  stop = async () => {
    await node.kill();
    rmSync(dataDir, { recursive: true, force: true });
    await backends.eventStore.stop();
    await mongo.stop();
  };
});
afterAll(() => stop());

const health = async (): Promise<{ status: number; bad: string[] }> => {
  const { status, body } = await call(url, '/health/ready', { key: null });
  const checks: [string, { ok: boolean }][] = Object.entries(body.checks);
  return { status, bad: checks.filter(([, { ok }]) => !ok).map(([name]) => name) };
};

const refused = async (): Promise<void> => {
  for (const answer of [await call(url, '/stream-service/api/v1/streams'), await upload(url, PING, 'x')]) {
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
};

const works = () =>
  eventually(async () => {
    expect(await health()).toEqual({ status: 200, bad: [] });
    const { status, body } = await upload(url, PING, 'x');
    expect(status).toBe(200);
    return body.streamId as string;
  }, LONG);

test('a silent event log makes the node unready and requests 503 with Retry-After, until it is back', async () => {
  const before = await works();
  backends.eventStore.pause();
  await eventually(async () => expect(await health()).toEqual({ status: 503, bad: ['eventLog'] }), LONG);
  expect((await call(url, '/health/live', { key: null })).status).toBe(200);
  const answer = await upload(url, PING, 'x');
  expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([503, true]);
  backends.eventStore.resume();
  const after = await recovered('a silent EventStoreDB', works);
  for (const id of [before, after]) expect((await streamEnd(url, id, LONG)).state).toBe('COMPLETED');
});

test('a MongoDB that is away makes the node unready and requests 503 with Retry-After, until it is back', async () => {
  const before = await works();
  await mongo.kill();
  await eventually(
    async () => expect(await health()).toMatchObject({ status: 503, bad: expect.arrayContaining(['documents', 'vault', 'topics']) }),
    LONG,
  );
  await refused();
  await mongo.restart();
  const after = await recovered('a MongoDB that was killed', works);
  for (const id of [before, after]) expect((await streamEnd(url, id, LONG)).state).toBe('COMPLETED');
  expect((await getStream(url, before)).status).toBe(200);
  expect(node.process.exitCode).toBeNull();
});

test('a MongoDB that is killed repeatedly during bursts of uploads delays accepted streams, and stops none', async () => {
  const accepted: string[] = [];
  for (let round = 0; round < 8; round += 1) {
    await works();
    const uploads = Promise.all(Array.from({ length: 12 }, () => upload(url, PING, 'x', { expects503: true })));
    // 0 to 175 ms into the uploads: no event says which of its writes an upload has reached.
    await Promise.race([uploads, new Promise((resolve) => setTimeout(resolve, 25 * round))]);
    await mongo.kill();
    await mongo.restart();
    const ids = (await uploads).flatMap(({ status, body }) => (status === 200 ? [body.streamId as string] : []));
    ids.push(await works());
    accepted.push(...ids);
    for (const id of ids) expect((await streamEnd(url, id, LONG)).state).toBe('COMPLETED');
  }
  expect(accepted.length).toBeGreaterThan(8);
  // A restart would look at the streams that run here.
  const client = new MongoClient(backends.environment.MONGODB_URL ?? '');
  onTestFinished(() => client.close());
  // The place of an upload that was refused may stay for some minutes.
  const places = client.db().collection<{ _id: string }>('views.doc.openStreams');
  const running = () => places.countDocuments({ _id: { $in: accepted }, 'keys.state': 'running' });
  await eventually(async () => expect(await running()).toBe(0), LONG);
});

test('an event log that is slow and drops connections after commits loses and doubles no acknowledged upload', async () => {
  await works();
  await backends.eventStore.faults({ slow: 200, dropAfterCommit: 4, endAfterCommit: 4 });
  const names = Array.from({ length: 12 }, (_, n) => `through-drops-${n}`);
  const answers = await Promise.all(names.map((name) => upload(url, { ...PING, name }, name, { expects503: true })));
  for (const { status, headers } of answers)
    expect([status, headers.get('retry-after')]).toSatisfy(() => status === 200 || (status === 503 && headers.has('retry-after')));
  await backends.eventStore.heal();
  await recovered('an EventStoreDB that drops connections', works);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  for (const [n, answer] of answers.entries()) {
    const { status, body } = answer;
    if (status !== 200) continue;
    expect((await streamEnd(url, body.streamId, LONG)).state).toBe('COMPLETED');
    const { body: listed } = await readCaughtUp(url, `/stream-service/api/v1/streams?name=${names[n]}`);
    expect(listed.content.map(({ streamId }: { streamId: string }) => streamId)).toEqual([body.streamId]);
  }
  expect((await call(url, '/audit-service/api/v1/verify')).body).toMatchObject({ ok: true, firstBroken: null });
  expect(node.process.exitCode).toBeNull();
});

test('a node warns at its start that everybody can change a log without TLS or a user', () => {
  expect(node.log()).toContain('EVENTSTORE_URL has no TLS or no user: everybody who reaches EventStoreDB can read and delete the log.');
});

test('a node waits for a store that refuses connections at the start, and logs that it waits', async () => {
  const first = await startEventStoreDb();
  await first.stop();
  const environment = { ...backends.environment, EVENTSTORE_URL: first.url, MONGODB_URL: mongo.freshUrl() };
  const waiting = launch(settings({ ...environment, DATA_DIR: temporaryDirectory() }));
  await eventually(() => expect(waiting.log()).toMatch(/waiting|away/i), LONG);
  expect(waiting.output()).toBe('');
  const second = await startEventStoreDb({ port: first.port });
  const address = await waiting.ready;
  expect((await call(address, '/health/ready', { key: null })).status).toBe(200);
  expect(await waiting.stop()).toBe(0);
  await second.stop();
});
