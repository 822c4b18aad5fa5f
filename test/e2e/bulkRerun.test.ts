import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { chatAnswer, type StubEngine, startStubEngine } from '../fakes/engineServer.ts';
import { type Call, call, streamEnd, TEXT_TEMPLATE, upload } from './client.ts';
import { type RunningServer, startServer } from './server.ts';

const RERUN = '/stream-service/api/v1/streams/rerun';
const KEY_FAULT = { status: 401, body: { error: { message: 'no key' } } };
const ANSWER = chatAnswer('Sum.', { prompt: 1, completion: 1 });

let chat: StubEngine;
let server: RunningServer;
beforeAll(async () => {
  chat = await startStubEngine();
  const environment = { LLM_URL: `${chat.url}/v1`, LLM_MODEL: 'small', MAX_ATTEMPTS: '1', MAX_CONCURRENT_STREAMS: '3' };
  server = await startServer({ environment });
});
afterAll(async () => {
  await server.kill();
  await chat.close();
});

/** Each test has its own user, since a filter matches only the caller's streams. */
const newUser = async (): Promise<string> => {
  const body = { kind: 'api-key', label: 'bulk', role: 'user' };
  return (await call(server.url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body.secret;
};
const ended = async (key: string): Promise<string> => {
  const query = { streamConfigurationTemplateId: TEXT_TEMPLATE, persist: 'true', summary: 'true' };
  const { streamId } = (await upload(server.url, query, 'Ana called.', { key })).body;
  return eventually(async () => {
    const { body } = await call(server.url, `/stream-service/api/v1/streams/${streamId}`, { key });
    return body?.state !== 'READY' && streamId;
  });
};
const bulk = (key: string, body: object, options: Call = {}) => call(server.url, RERUN, { method: 'POST', body, key, ...options });
const listed = async (key: string) => (await call(server.url, RERUN, { key })).body.content;
const done = (key: string) =>
  eventually(async () => {
    const [newest] = await listed(key);
    return newest.state === 'COMPLETED' && newest;
  }, 30_000);
const eventsOf = async (key: string, streamId: string) =>
  (await call(server.url, `/stream-service/api/v1/streams/${streamId}/events`, { key })).body.content;

describe('a bulk rerun', () => {
  test('runs every failed stream again from a stage, under the caller, the reason and the request', async () => {
    const key = await newUser();
    chat.always(KEY_FAULT);
    const failed = [await ended(key), await ended(key), await ended(key), await ended(key), await ended(key)];
    chat.always(ANSWER);
    const good = await ended(key);
    const filter = { state: 'FAILED', errorName: 'PROCESSOR_GENERAL_ERROR' };
    const dry = await bulk(key, { filter, dryRun: true });
    expect([dry.status, dry.body]).toEqual([202, { matched: 5, started: 0, requestId: null }]);
    const headers = { 'X-Correlation-Id': 'repair-1' };
    const { status, body } = await bulk(key, { filter, from: 'llm', reason: 'The key was wrong.' }, { headers });
    expect([status, body]).toEqual([202, { matched: 5, started: 5, requestId: expect.any(String) }]);
    expect(await done(key)).toMatchObject({ requestId: body.requestId, started: 5, refused: 0, waiting: 0, reason: 'The key was wrong.' });
    for (const streamId of failed) {
      const stream = await eventually(async () => {
        const found = (await call(server.url, `/stream-service/api/v1/streams/${streamId}`, { key })).body;
        return found.state === 'COMPLETED' && found;
      });
      expect(stream.attempt).toBe(2);
      const events = await eventsOf(key, streamId);
      const rerun = events.findIndex(({ type }: { type: string }) => type === 'RerunStarted');
      expect(events[rerun]).toMatchObject({ data: { from: 'llm', reason: 'The key was wrong.' }, actor: events[0].actor });
      const [attempt] = (await call(server.url, `/stream-service/api/v1/streams/${streamId}/attempts`, { key })).body.content;
      expect(attempt.correlationId).toBe('repair-1');
    }
    expect((await call(server.url, `/stream-service/api/v1/streams/${good}`, { key })).body.attempt).toBe(1);
  });

  test('finds completed and failed streams within the given times if it names no state', async () => {
    const key = await newUser();
    chat.always(KEY_FAULT);
    await ended(key);
    chat.always(ANSWER);
    const second = await ended(key);
    const { createdTimestamp, groupId } = (await call(server.url, `/stream-service/api/v1/streams/${second}`, { key })).body;
    const matched = async (filter: object) => (await bulk(key, { filter, dryRun: true })).body.matched;
    expect(await matched({ streamConfigurationTemplateId: TEXT_TEMPLATE })).toBe(2);
    expect(await matched({ since: createdTimestamp })).toBe(1);
    expect(await matched({ groupId })).toBe(1);
    expect(await matched({ state: 'COMPLETED', until: '2020-01-01T00:00:00Z' })).toBe(0);
    expect(await matched({ state: 'COMPLETED' })).toBe(1);
    expect((await bulk(key, { filter: { errorName: 'PROCESSOR_FEATURE_ERROR' } })).body).toMatchObject({ matched: 0, started: 0 });
  });

  test.each([
    ['an empty filter', { filter: {} }, 'filter is empty'],
    ['a filter of nulls', { filter: { state: null, groupId: null } }, 'filter is empty'],
    ['no filter', {}, 'filter'],
    ['a state that has no end', { filter: { state: 'READY' } }, 'state'],
    ['an unknown member', { filter: { owner: 'me' } }, 'owner'],
    ['a bad time', { filter: { since: 'yesterday' } }, 'ISO 8601'],
    ['a body of more than 64 KiB', { filter: { state: 'FAILED' }, patches: { a: 'x'.repeat(70_000) } }, '65536'],
  ])('rejects %s', async (_, body, words) => {
    const { status, text } = await bulk(await newUser(), body);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(text).toContain(words);
  });

  test('lists the streams that it could not run again, with reasons', async () => {
    const key = await newUser();
    chat.always(ANSWER);
    const streamId = await ended(key);
    await bulk(key, { filter: { state: 'COMPLETED' }, from: 'transcriber' });
    expect(await done(key)).toMatchObject({
      ...{ started: 0, refused: 1 },
      refusals: [{ streamId, statusCode: 400, message: expect.stringContaining('no such stage') }],
    });
  });

  test('is created once for the same key and body; another body is 409', async () => {
    const key = await newUser();
    chat.always(ANSWER);
    const streamId = await ended(key);
    const headers = { 'Idempotency-Key': 'once' };
    const ask = (reason: string) => bulk(key, { filter: { state: 'COMPLETED' }, reason }, { headers });
    const first = await ask('again');
    await done(key);
    expect((await ask('again')).body).toEqual(first.body);
    expect((await ask('other')).status).toBe(409);
    await eventually(
      async () => (await call(server.url, `/stream-service/api/v1/streams/${streamId}`, { key })).body.state === 'COMPLETED',
    );
    expect((await call(server.url, `/stream-service/api/v1/streams/${streamId}`, { key })).body.attempt).toBe(2);
    expect(await listed(key)).toHaveLength(1);
  });

  test('stays within the limit of concurrent streams, leaves one for uploads, and can be stopped', async () => {
    const key = await newUser();
    chat.always(ANSWER);
    for (let n = 0; n < 4; n++) await ended(key);
    chat.always('hang');
    const { body } = await bulk(key, { filter: { state: 'COMPLETED' }, from: 'llm' });
    const running = async () => (await call(server.url, '/stream-service/api/v1/streams?state=READY', { key })).body.totalElements;
    await eventually(async () => (await running()) === 2);
    const query = { streamConfigurationTemplateId: TEXT_TEMPLATE };
    expect((await upload(server.url, query, 'x', { key })).status).toBe(200);
    const other = await newUser();
    expect((await call(server.url, `${RERUN}/${body.requestId}`, { method: 'DELETE', key: other })).status).toBe(404);
    expect((await call(server.url, `${RERUN}/${body.requestId}`, { method: 'DELETE', key })).status).toBe(204);
    expect((await call(server.url, `${RERUN}/${body.requestId}`, { method: 'DELETE', key })).status).toBe(204);
    expect((await listed(key))[0]).toMatchObject({ state: 'CANCELED', queued: 4, waiting: 0, started: 2 });
  });
});

test('a bulk rerun continues after kills of the server, and runs each stream once', { timeout: 90_000 }, async () => {
  const engine = await startStubEngine();
  engine.always(ANSWER);
  const environment = { LLM_URL: `${engine.url}/v1`, LLM_MODEL: 'small', MAX_CONCURRENT_STREAMS: '4' };
  const first = await startServer({ environment });
  const query = { streamConfigurationTemplateId: TEXT_TEMPLATE, persist: 'true', summary: 'true' };
  const streamIds: string[] = [];
  for (let n = 0; n < 12; n++) {
    const { streamId } = (await upload(first.url, query, 'Ana called.')).body;
    streamIds.push((await streamEnd(first.url, streamId)).streamId);
  }
  const asked = await call(first.url, RERUN, { method: 'POST', body: { filter: { state: 'COMPLETED' } } });
  expect(asked.body).toMatchObject({ matched: 12, started: 12 });
  await first.kill();
  let server = await startServer({ environment, dataDir: first.dataDir });
  await eventually(async () => {
    const states = await Promise.all(
      streamIds.map(async (id) => (await call(server.url, `/stream-service/api/v1/streams/${id}`)).body.attempt),
    );
    return states.filter((attempt) => attempt === 2).length >= streamIds.length / 2;
  }, 30_000);
  await server.kill();
  server = await startServer({ environment, dataDir: first.dataDir });
  for (const streamId of streamIds) {
    await eventually(async () => (await call(server.url, `/stream-service/api/v1/streams/${streamId}`)).body.attempt === 2, 30_000);
    expect(await streamEnd(server.url, streamId)).toMatchObject({ state: 'COMPLETED', attempt: 2 });
    const { content } = (await call(server.url, `/stream-service/api/v1/streams/${streamId}/events`)).body;
    expect(content.filter(({ type }: { type: string }) => type === 'RerunStarted')).toHaveLength(1);
  }
  await engine.close();
});
