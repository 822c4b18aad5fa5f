import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../eventually.ts';
import { type StubEngine, startStubEngine } from '../fakes/engineServer.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { wavOf } from '../wav.ts';
import { call, getStream, PING_TEMPLATE, streamEnd, TEXT_TEMPLATE, TRANSCRIPTION_TEMPLATE, upload } from './client.ts';
import { isClusterForm } from './clusterForm.ts';
import { type RunningServer, startServer } from './server.ts';

const AUDIT = '/audit-service/api/v1';
/** Part of all the person's data. */
const PLANTED = 'PLANTED-9f3a';

let engine: StubEngine;
let server: RunningServer;
beforeAll(async () => {
  engine = await startStubEngine();
  server = await startServer({
    environment: {
      ...{ TRANSCRIBER_URL: engine.url, LLM_URL: `${engine.url}/v1`, LLM_MODEL: 'small' },
      ...{ MAX_ATTEMPTS: '1', SEAL_INTERVAL_S: '1', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' },
    },
  });
});
afterAll(async () => {
  await server.kill();
  await engine.close();
});

interface Person {
  readonly secret: string;
  readonly subject: string;
}

const person = async (): Promise<Person> => {
  const body = { kind: 'api-key', label: `${PLANTED}-label`, role: 'user' };
  return (await call(server.url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body;
};

const erase = ({ subject }: Person) => call(server.url, `${AUDIT}/subjects/${subject}`, { method: 'DELETE' });

const files = (directory: string): string[] =>
  readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    const stat = statSync(path);
    return stat.isDirectory() ? files(path) : stat.isFile() ? [path] : [];
  });

// In the cluster form, the files belong to the servers.
const holding = (directory: string): string[] =>
  isClusterForm ? [] : files(directory).filter((path) => readFileSync(path).includes(PLANTED));

/** Nothing is left in the data directory, in a copy of it, and in what auditors and admins can read. */
const expectForgotten = async (streamIds: readonly string[]): Promise<void> => {
  await eventually(() => expect(holding(server.dataDir)).toEqual([]));
  const backup = temporaryDirectory();
  cpSync(server.dataDir, backup, { recursive: true, filter: (path) => !path.endsWith('.sock') });
  expect(holding(backup)).toEqual([]);
  const { text } = await call(server.url, `${AUDIT}/events`, { headers: { accept: 'application/x-ndjson' } });
  expect(text).not.toContain(PLANTED);
  for (const streamId of streamIds) {
    const state = await call(server.url, `${AUDIT}/event-streams/stream-${streamId}`);
    expect(state.text).not.toContain(PLANTED);
    expect(state.body.state.stream.state).toBe('EXPIRED');
    const stream = await getStream(server.url, streamId);
    expect(stream.text).not.toContain(PLANTED);
    const components = await call(server.url, `/stream-service/api/v1/streams/${streamId}/components`);
    expect(components.text).not.toContain(PLANTED);
  }
  expect((await call(server.url, `${AUDIT}/verify`)).body).toMatchObject({ ok: true, firstBroken: null });
};

/** An upload whose body continues until the test ends it. */
const openUpload = ({ secret }: Person, streamId: string, template = PING_TEMPLATE) => {
  const query = new URLSearchParams({ streamConfigurationTemplateId: template, id: streamId, name: `${PLANTED}-name`, persist: 'true' });
  const headers = { authorization: `Basic ${secret}`, 'content-type': 'application/octet-stream' };
  const sent = request(`${server.url}/http-gateway/api/v1/upload?${query}`, { method: 'POST', headers });
  const answered = once(sent, 'response').then(
    ([response]) => Number(response.resume().statusCode),
    () => 'broken off' as const,
  );
  onTestFinished(() => void sent.destroy());
  sent.on('error', () => {});
  return { sent, answered };
};

const seen = (streamId: string) => eventually(async () => expect((await getStream(server.url, streamId)).status).toBe(200));

/** A second of audio that contains the planted text. */
const SOUND = wavOf(Buffer.alloc(32_000, PLANTED));

describe('a person who is erased leaves nothing readable', () => {
  test('even if uploads are running and continue to send', async () => {
    const someone = await person();
    const ids = Array.from({ length: 4 }, () => crypto.randomUUID());
    const uploads = ids.map((id) => openUpload(someone, id));
    const pouring = setInterval(() => {
      for (const { sent } of uploads.slice(0, 3))
        if (!sent.destroyed && !sent.writableNeedDrain) sent.write(PLANTED.repeat(isClusterForm ? 50 : 2_000));
    }, 5);
    onTestFinished(() => clearInterval(pouring));
    uploads[3]?.sent.write(PLANTED);
    for (const id of ids) await seen(id);
    const report = await erase(someone);
    expect(report.body).toMatchObject({ streamsCanceled: 4, keysDestroyed: 1 });
    for (const { answered } of uploads.slice(0, 3)) expect([409, 'broken off']).toContain(await answered);
    await expectForgotten(ids);
  });

  test('and the report counts all of it', async () => {
    const someone = await person();
    const query = { streamConfigurationTemplateId: PING_TEMPLATE, name: `${PLANTED}-name` };
    // More than one batch of those that end together.
    const uploads = Array.from({ length: 40 }, () => upload(server.url, query, PLANTED, { key: someone.secret }));
    const ids = (await Promise.all(uploads)).map(({ body }) => body.streamId);
    for (const id of ids) await streamEnd(server.url, id);
    const { body } = await erase(someone);
    expect(body).toMatchObject({ streamsCanceled: 0, credentialsRevoked: 1, keysDestroyed: 1, topicsDestroyed: 80 });
    await expectForgotten(ids.slice(-2));
  });

  test('even if uploads accepted a moment before keep coming', async () => {
    const someone = await person();
    const ids: string[] = [];
    let ended = false;
    const hammer = async () => {
      while (!ended) {
        const id = crypto.randomUUID();
        const query = { streamConfigurationTemplateId: PING_TEMPLATE, id, name: `${PLANTED}-name`, persist: 'true' };
        const { status } = await upload(server.url, query, PLANTED.repeat(500), { key: someone.secret });
        if (status === 200) ids.push(id);
        if (status === 401) return;
      }
    };
    const hammering = Promise.all(Array.from({ length: 4 }, hammer));
    await eventually(() => expect(ids.length).toBeGreaterThan(5));
    expect((await erase(someone)).status).toBe(200);
    ended = true;
    await hammering;
    await expectForgotten(ids.slice(-3));
  });

  test('even if their streams have large configurations', async () => {
    const someone = await person();
    const values = Array.from({ length: 6_000 }, () => ({}));
    const processor = {
      id: 'echo',
      processorDeclarationId: 'echo',
      destinationTopicHeaders: { values },
      egress: { sink: true, persist: true },
    };
    const { body: template } = await call(server.url, '/stream-configuration-service/api/v1/stream-configuration-templates', {
      ...{ method: 'PUT', key: someone.secret, body: { name: `${PLANTED}-name`, processors: [processor] } },
    });
    const query = { streamConfigurationTemplateId: template.id, name: `${PLANTED}-name`, persist: 'true' };
    const ids: string[] = [];
    for (let n = 0; n < 8; n += 1) ids.push((await upload(server.url, query, PLANTED, { key: someone.secret })).body.streamId);
    for (const id of ids) await streamEnd(server.url, id);
    expect((await erase(someone)).body).toMatchObject({ streamsCanceled: 0, topicsDestroyed: 16 });
    await expectForgotten(ids);
  });

  test('even if templates contain the names of their own processors', async () => {
    const someone = await person();
    const put = async (path: string, body: object) => {
      const answer = await call(server.url, `/stream-configuration-service/api/v1/${path}`, { method: 'PUT', key: someone.secret, body });
      expect(answer.status).toBeLessThan(300);
      return answer.body;
    };
    const named = { name: `${PLANTED}-name`, description: `${PLANTED}-description` };
    const content = { url: engine.url, mode: 'batch', inputSchema: 'bytes', outputSchema: 'bytes' };
    const declaration = await put('processor-declarations', { ...named, ...content });
    const template = await put('stream-configuration-templates', {
      ...named,
      processors: [{ id: 'own', processorDeclarationId: declaration.id }],
    });
    expect(template.processors[0].processorDeclaration).toMatchObject({ displayName: named.name, description: named.description });
    await erase(someone);
    await expectForgotten([]);
  });

  test('even if a WebSocket waits for its configuration', async () => {
    const someone = await person();
    const id = crypto.randomUUID();
    const query = `streamConfigurationTemplateId=${PING_TEMPLATE}&id=${id}&configurationMessage=true&name=${PLANTED}-name`;
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws-gateway/api/v1?${query}`, {
      headers: { authorization: `Basic ${someone.secret}` },
    });
    onTestFinished(() => socket.terminate());
    const messages: { type: string }[] = [];
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    await once(socket, 'open');
    // The end of its credential may close it before the erasure has ended.
    const closed = once(socket, 'close');
    expect((await erase(someone)).status).toBe(200);
    socket.send(JSON.stringify({ type: 'CONFIGURATION', patches: {} }));
    socket.send(Buffer.from(PLANTED.repeat(100)));
    await closed;
    expect(messages).toMatchObject([{ type: 'ERROR', error: { statusCode: 401, internalErrorName: 'GENERAL_AUTHENTICATION_ERROR' } }]);
    expect((await getStream(server.url, id)).status).toBe(404);
    await expectForgotten([]);
  });

  test('even if an engine has the recording and does not answer', async () => {
    const someone = await person();
    engine.reset();
    engine.always('hang');
    const query = { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, name: `${PLANTED}-name`, persist: 'true', summary: 'true' };
    const { body } = await upload(server.url, query, SOUND, { key: someone.secret });
    await eventually(() => expect(engine.open()).toBe(1));
    expect((await erase(someone)).body).toMatchObject({ streamsCanceled: 1 });
    await eventually(() => expect(engine.open()).toBe(0));
    await expectForgotten([body.streamId]);
  });

  test('even if an engine repeated their words in the reason of a failure', async () => {
    const someone = await person();
    engine.reset();
    engine.always({ status: 400, body: { error: { message: `cannot make sense of "${PLANTED}"` } } });
    const query = { streamConfigurationTemplateId: TEXT_TEMPLATE, name: `${PLANTED}-name`, persist: 'true', summary: 'true' };
    const { body } = await upload(server.url, query, `${PLANTED} said this.`, { key: someone.secret });
    const end = await streamEnd(server.url, body.streamId);
    // Otherwise there would be nothing to erase.
    expect(end).toMatchObject({ state: 'FAILED', stateDescription: expect.stringContaining(PLANTED) });
    const hidden = await call(server.url, `${AUDIT}/events?eventStream=stream-${body.streamId}&form=stored`);
    expect(hidden.text).not.toContain(PLANTED);
    await erase(someone);
    await expectForgotten([body.streamId]);
    const { status } = await call(server.url, '/operations-service/api/v1/projections/streams/rebuild', { method: 'POST' });
    expect(status).toBe(202);
    await expectForgotten([body.streamId]);
  });

  test('and every read of theirs is still answered for administrators', async () => {
    const someone = await person();
    const { secret, subject } = someone;
    const put = async (path: string, body: object) => (await call(server.url, path, { method: 'PUT', key: secret, body })).body;
    const configuration = '/stream-configuration-service/api/v1';
    const declaration = await put(`${configuration}/processor-declarations`, {
      ...{ name: PLANTED, url: engine.url, mode: 'batch', inputSchema: 'bytes', outputSchema: 'bytes' },
    });
    const template = await put(`${configuration}/stream-configuration-templates`, {
      name: PLANTED,
      processors: [{ id: 'own', name: PLANTED, processorDeclarationId: declaration.id, properties: {} }],
    });
    await call(server.url, `${configuration}/stream-configuration-templates/${TRANSCRIPTION_TEMPLATE}`, {
      ...{ method: 'PATCH', key: secret, body: { jsonPatches: [{ op: 'replace', path: 'language', value: 'de' }] } },
    });
    const endpoint = await put('/notification-service/api/v1/webhook-endpoints', { url: 'https://example.com/', events: ['*'] });
    const query = { streamConfigurationTemplateId: PING_TEMPLATE, name: PLANTED, persist: 'true', webhook: 'https://example.com/dynamic' };
    const { streamId } = (await upload(server.url, query, PLANTED, { key: secret })).body;
    await streamEnd(server.url, streamId);
    await call(server.url, `/stream-service/api/v1/streams/${streamId}/rerun`, { method: 'POST', key: secret, body: { reason: PLANTED } });
    await streamEnd(server.url, streamId);
    await erase(someone);

    const ids: Record<string, string> = { streamId, groupId: streamId, attempt: '1', processorId: 'echo', format: 'JSON', id: endpoint.id };
    const known = { ...ids, declarationId: declaration.id, streamConfigurationTemplateId: template.id };
    const { body: document } = await call(server.url, '/openapi.json');
    const reads = Object.entries<Record<string, { parameters?: { name: string; in: string }[] }>>(document.paths).flatMap(
      ([path, { get }]) => {
        const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name as keyof typeof known] ?? 'unknown');
        const bySubject = get?.parameters?.some((one) => one.in === 'query' && one.name === 'subject');
        const isService = path.includes('-service/') && !path.includes('live') && !path.includes('gateway');
        return get && isService ? [bySubject ? `${filled}?subject=${subject}` : filled] : [];
      },
    );
    const events = ['templates', 'processorDeclarations', 'webhookEndpoints', 'credentials', 'reruns', 'delivery'].map(
      (name) => `${AUDIT}/event-streams/${name}-${subject}`,
    );
    const failed: string[] = [];
    for (const path of [...reads, ...events, `${AUDIT}/event-streams/stream-${streamId}`]) {
      const { status } = await call(server.url, path);
      if (status >= 500) failed.push(`${status} ${path}`);
    }
    expect(reads.filter((path) => path.includes('?subject=')).length).toBeGreaterThan(5);
    expect(failed).toEqual([]);
    const { body: templates } = await call(server.url, `${configuration}/stream-configuration-templates?subject=${subject}&size=100`);
    expect(templates.content.map(({ id }: { id: string }) => id)).toContain(template.id);
    await expectForgotten([streamId]);
  });
});
