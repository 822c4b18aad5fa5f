import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Answer, call, getStream, PING_TEMPLATE, readCaughtUp, streamEnd, TRANSCRIPTION_TEMPLATE, upload } from '../e2e/client.ts';
import { readLive, slowUpload } from '../e2e/live.ts';
import { eventually, PATIENCE } from '../eventually.ts';
import { type StubEngine, startStubEngine } from '../fakes/engineServer.ts';
import { Receiver } from '../receiver.ts';
import { startCluster, type TestCluster, type TestNode, TTL } from './node.ts';

const PING = { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' };
const HELLO = { language: 'english', duration: 4, text: 'Hello there.', segments: [{ start: 0, end: 4, text: ' Hello there.' }] };
/** Time for a takeover: the ttl plus the interval of checks, on a busy machine. Several fit into a test's time limit. */
const TAKEN_OVER = (10 * TTL) / PATIENCE;

vi.setConfig({ testTimeout: 40 * TTL, hookTimeout: 40 * TTL });

let speech: StubEngine;
let cluster: TestCluster;
let a: TestNode;
let b: TestNode;
let keeper: TestNode;
let worker: TestNode;

beforeAll(async () => {
  speech = await startStubEngine();
  cluster = await startCluster({ TRANSCRIBER_URL: speech.url, WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
  [keeper, worker, a, b] = await Promise.all([
    cluster.node('projections,policies'),
    cluster.node('processors,delivery'),
    cluster.node('http'),
    cluster.node('http'),
  ]);
});
afterAll(async () => {
  await cluster.stop();
  await speech.close();
});
beforeEach(() => speech.reset());

const command = async (...words: string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, ['bin/tributary.js', ...words], { env: cluster.environment });
  return stdout;
};

/** A busy store sometimes answers 503: repeats the request. */
const answered = (ask: () => Promise<Answer>): Promise<Answer> =>
  eventually(async () => {
    const answer = await ask();
    expect(answer.status).not.toBe(503);
    return answer;
  }, TAKEN_OVER);

const leases = async (): Promise<{ name: string; holder: string }[]> => (await call(a.url, '/operations-service/api/v1/leases')).body;

const holders = async (prefix: string): Promise<Set<string>> =>
  new Set((await leases()).filter(({ name }) => name.startsWith(prefix)).map(({ holder }) => holder));

/** A run that hangs on one of two nodes with processors, and the node that holds its lease. */
const hangingRun = async () => {
  const second = await cluster.node('processors');
  speech.always('hang');
  const { body } = await upload(a.url, { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, persist: 'true' }, Buffer.alloc(4_000, 1));
  await eventually(() => speech.open() === 1, TAKEN_OVER);
  const [run] = await holders(`run/${body.streamId}`);
  const streamId: string = body.streamId;
  return { second, streamId, holder: run?.endsWith(`pid ${second.process.pid}`) ? second : worker };
};

describe('two http nodes', () => {
  test("show each other's changes at once", async () => {
    for (let n = 0; n < 10; n += 1) {
      const name = randomUUID();
      const done = await answered(() => upload(a.url, { ...PING, name }, 'bytes'));
      expect(done.status).toBe(200);
      const listed = await answered(() => readCaughtUp(b.url, `/stream-service/api/v1/streams?name=${name}`));
      expect(listed.body.content.map(({ streamId }: { streamId: string }) => streamId)).toEqual([done.body.streamId]);
      expect((await answered(() => getStream(b.url, done.body.streamId))).status).toBe(200);
    }
  });

  test("accept each other's tokens, and refuse within a second what the other revoked", async () => {
    const body = { kind: 'client', label: 'both', role: 'user' };
    const made = await call(a.url, '/credential-service/api/v1/credentials', { method: 'POST', body });
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: made.body.clientId, client_secret: made.body.secret });
    const token = await call(a.url, '/realms/tributary/protocol/openid-connect/token', { method: 'POST', body: form, key: null });
    const options = { key: null, headers: { authorization: `Bearer ${token.body.access_token}` } };
    expect((await call(b.url, '/stream-service/api/v1/streams', options)).status).toBe(200);
    expect((await call(a.url, `/credential-service/api/v1/credentials/${made.body.id}`, { method: 'DELETE' })).status).toBe(204);
    const revoked = performance.now();
    while ((await call(b.url, '/stream-service/api/v1/streams', options)).status === 200)
      expect(performance.now() - revoked).toBeLessThan(1_000);
  });

  test("show live results of each other's uploads", async () => {
    const id = randomUUID();
    const going = slowUpload(a.url, { streamConfigurationTemplateId: PING_TEMPLATE, id });
    const reader = readLive(b.url, `streams=${id}&format=RAW&timeout=60000`);
    going.send('first ');
    await eventually(async () => expect((await getStream(b.url, id)).status).toBe(200), TAKEN_OVER);
    going.send('second');
    going.end();
    expect(await going.answered).toBe(200);
    expect(String(await reader.done)).toBe('first second');
  });

  test('share limits, and a cancellation at one ends the run at the other within a second', async () => {
    speech.always('hang');
    const { body } = await upload(a.url, { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE }, Buffer.alloc(4_000, 1));
    await eventually(() => speech.open() === 1, TAKEN_OVER);
    const canceled = await call(b.url, `/stream-service/api/v1/streams/${body.streamId}/cancel`, { method: 'PUT' });
    expect(canceled.body.stateDescription).toBe('Canceled by user');
    const began = performance.now();
    await eventually(() => speech.open() === 0, 10_000);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});

describe('a node without http', () => {
  test('answers only health checks and metrics', async () => {
    for (const { url } of [keeper, worker]) {
      expect((await call(url, '/health/live', { key: null })).status).toBe(200);
      await eventually(async () => expect((await call(url, '/health/ready', { key: null })).body.status).toBe('ready'), TAKEN_OVER);
      expect((await call(url, '/metrics', { key: null })).status).toBe(200);
      expect((await call(url, '/stream-service/api/v1/streams')).status).toBe(404);
    }
  });
});

describe('the command line beside nodes', () => {
  test('has read models rebuilt by the node that maintains them, and sees their progress', async () => {
    await command('projections', 'rebuild', 'streams');
    const rows = JSON.parse(await command('projections', 'status', '--json'));
    expect(rows.map(({ state }: { state: string }) => state)).not.toContain('stopped');
    expect(new Set(await holders('projection/')).size).toBe(1);
    expect((await call(a.url, '/operations-service/api/v1/projections/streams/rebuild', { method: 'POST' })).status).toBe(202);
    await command('audit', 'verify');
  });

  test('issues a credential that every node accepts', async () => {
    const made = JSON.parse(await command('credentials', 'create', '--kind', 'api-key', '--role', 'user', '--label', 'x', '--json'));
    for (const { url } of [a, b])
      await eventually(
        async () => expect((await call(url, '/stream-service/api/v1/streams', { key: made.secret })).status).toBe(200),
        TAKEN_OVER,
      );
  });
});

describe('a node that dies', () => {
  test('has its uploads ended as gateway.error', async () => {
    const dying = await cluster.node('http');
    const id = randomUUID();
    const going = slowUpload(dying.url, { streamConfigurationTemplateId: PING_TEMPLATE, id });
    going.send('never whole');
    await eventually(async () => expect((await getStream(a.url, id)).status).toBe(200), TAKEN_OVER);
    await dying.kill();
    const stream = await streamEnd(a.url, id, TAKEN_OVER);
    expect(stream).toMatchObject({ state: 'FAILED', stateDescription: 'The node that took the upload stopped' });
    const components = await call(a.url, `/stream-service/api/v1/streams/${id}/components`);
    expect(components.body.gateway.state).toBe('CLOSED');
  });

  test('during a run is replaced, and the run is counted and billed once', async () => {
    const { second, streamId, holder } = await hangingRun();
    speech.always({ body: HELLO });
    await holder.kill();
    expect((await streamEnd(a.url, streamId, TAKEN_OVER)).state).toBe('COMPLETED');
    const usage = await call(a.url, `/usage-service/api/v1/usage/streams/${streamId}`);
    expect(
      usage.body.processors.filter(({ operationType }: { operationType: string }) => operationType === 'TRANSCRIPTION').length,
    ).toBeLessThanOrEqual(1);
    await second.kill();
    if (holder === worker) worker = await cluster.node('processors,delivery');
  });
});

describe('a node that was paused for long', () => {
  test('has lost its projections to another, and does not overwrite them', async () => {
    const other = await cluster.node('projections,policies');
    keeper.process.kill('SIGSTOP');
    const held = `pid ${other.process.pid}`;
    await eventually(
      async () => expect([...(await holders('projection/'))].every((holder) => holder.endsWith(held))).toBe(true),
      TAKEN_OVER,
    );
    const name = randomUUID();
    const done = await answered(() => upload(a.url, { ...PING, name }, 'while one slept'));
    await streamEnd(a.url, done.body.streamId, TAKEN_OVER);
    keeper.process.kill('SIGCONT');
    await eventually(() => expect(keeper.log()).toMatch(/projection\/.*a lease /), 10_000);
    for (const { url } of [a, b]) {
      await eventually(async () => {
        const listed = await call(url, `/stream-service/api/v1/streams?name=${name}`);
        expect(listed.body.content).toMatchObject([{ streamId: done.body.streamId, state: 'COMPLETED' }]);
        return true;
      }, TAKEN_OVER);
    }
    const rows = (await call(a.url, '/operations-service/api/v1/projections')).body;
    expect(rows.map(({ error }: { error: string | null }) => error).filter((error: string | null) => error !== null)).toEqual([]);
    await other.stop();
    expect(other.log(), 'a node that waits for many leases').not.toContain('MaxListeners');
  });

  test('does not record the outcome of a run that another has done since', async () => {
    const { second, streamId, holder } = await hangingRun();
    holder.process.kill('SIGSTOP');
    speech.always({ body: HELLO });
    expect((await streamEnd(a.url, streamId, TAKEN_OVER)).state).toBe('COMPLETED');
    holder.process.kill('SIGCONT');
    await eventually(() => expect(holder.log()).toMatch(new RegExp(`run/${streamId}.*a lease `)), 10_000);
    const { text } = await call(a.url, `/audit-service/api/v1/events?eventStream=stream-${streamId}&order=asc`, {
      headers: { accept: 'application/x-ndjson' },
    });
    const events = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const of = (type: string) =>
      events.filter(
        (event) =>
          event.type === type && event.data.processorId === events.find(({ type: t }) => t === 'ProcessorStarted')?.data.processorId,
      );
    expect(of('ProcessorStarted').map(({ data }) => data.attempt)).toEqual([1, 2]);
    expect(of('ProcessorCompleted').map(({ data }) => data.attempt)).toEqual([2]);
    await second.kill();
  });
});

describe('two delivering nodes', () => {
  test('share the users, take over from each other, and deliver everything once', async () => {
    const receiver = await Receiver.start();
    const endpoint = { url: receiver.url('/hook'), events: ['stream.completed'] };
    expect((await call(a.url, '/notification-service/api/v1/webhook-endpoints', { method: 'PUT', body: endpoint })).status).toBe(200);
    const own: string[] = [];
    const uploaded = async (text: string): Promise<string> => {
      const { body } = await answered(() => upload(a.url, PING, text));
      own.push(body.streamId);
      return body.streamId;
    };
    // Streams of earlier tests may end only now.
    const told = () => receiver.received.map(({ event }) => event.payload.streamId).filter((streamId) => own.includes(streamId));
    const first = await uploaded('one');
    await eventually(() => expect(told()).toEqual([first]), TAKEN_OVER);
    const other = await cluster.node('delivery');
    await eventually(async () => expect((await holders('delivery/')).size).toBe(2), 2 * TAKEN_OVER);
    const second = await uploaded('two');
    await eventually(() => expect(told()).toEqual([first, second]), TAKEN_OVER);
    await other.kill();
    const third = await uploaded('three');
    // A webhook that was sent but not recorded before the node died is sent again.
    await eventually(() => expect(told()).toContain(third), 2 * TAKEN_OVER);
    await receiver.close();
  });
});
