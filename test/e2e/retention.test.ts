import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, PATIENCE } from '../eventually.ts';
import { call, getStream, PING_TEMPLATE, streamEnd, upload } from './client.ts';
import { embeddedOnly, isClusterForm } from './clusterForm.ts';
import { readLive, slowUpload } from './live.ts';
import { type RunningServer, startServer } from './server.ts';

const EPHEMERAL_S = isClusterForm ? 8 : 2;
const PERSISTENT_S = 3 * EPHEMERAL_S;
/** Longest delay of an expiry. */
const LATE_S = 5 * PATIENCE;
const environment = { RETENTION_EPHEMERAL_S: String(EPHEMERAL_S), RETENTION_PERSISTENT_S: String(PERSISTENT_S) };
const dataDir = mkdtempSync(join(tmpdir(), 'tributary-retention-'));
const ping = { streamConfigurationTemplateId: PING_TEMPLATE };

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ dataDir, environment });
});
afterAll(async () => {
  await server.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Topics in the log. */
const topicRows = (): string[] => {
  const log = new DatabaseSync(join(dataDir, 'log.db'), { readOnly: true });
  const rows = log.prepare('SELECT topic FROM topics').all();
  log.close();
  return rows.map(({ topic }) => String(topic));
};

/** Existing topics, whether their bytes are files or rows. */
const topicFiles = (): string[] =>
  isClusterForm
    ? []
    : [...readdirSync(join(dataDir, 'topics')).flatMap((name) => readdirSync(join(dataDir, 'topics', name))), ...topicRows()];

// biome-ignore lint/suspicious/noExplicitAny: checked by assertions, which fail on a wrong shape
const filesOf = ({ configuration }: any): string[] => {
  const topics = [configuration.dataSource, ...configuration.processors.map(({ destination }: { destination: object }) => destination)];
  const ids = topics.map(({ topic }) => topic.slice(topic.lastIndexOf('/') + 1));
  return topicFiles().filter((file) => ids.includes(file));
};

/** Seconds from a stream's end to its expiry. */
// biome-ignore lint/suspicious/noExplicitAny: as above
const expired = async (stream: any, withinSeconds = 20): Promise<{ stream: any; after: number }> => {
  const components = `/stream-service/api/v1/streams/${stream.streamId}/components`;
  await eventually(async () => expect((await getStream(server.url, stream.streamId)).body.state).toBe('EXPIRED'), withinSeconds * 1000);
  const { body } = await call(server.url, components);
  const after = (Date.parse(body.stateChangedTimestamp) - Date.parse(stream.finalizedTimestamp)) / 1000;
  return { stream: (await getStream(server.url, stream.streamId)).body, after };
};

const groupState = async (groupId: string): Promise<string> =>
  (await call(server.url, `/stream-service/api/v1/groups/${groupId}`)).body.state;

const finished = async (query: Readonly<Record<string, string>> = {}) => {
  const { body } = await upload(server.url, { ...ping, ...query }, 'hello');
  return streamEnd(server.url, body.streamId);
};

const deletion = (streamId: string, key?: string) =>
  call(server.url, `/stream-service/api/v1/streams/${streamId}`, { method: 'DELETE', ...(key ? { key } : {}) });

describe('a stream that has ended', () => {
  test('expires when due: its bytes are deleted, its events stay, and its group expires and accepts no more', async () => {
    const [ephemeral, persistent] = await Promise.all([finished(), finished({ persist: 'true' })]);
    if (!isClusterForm) expect(filesOf(ephemeral)).toHaveLength(2);
    const first = await expired(ephemeral);
    expect(first.stream).toEqual({ ...ephemeral, state: 'EXPIRED' });
    expect(first.after).toBeGreaterThanOrEqual(EPHEMERAL_S);
    expect(first.after).toBeLessThan(EPHEMERAL_S + LATE_S);
    expect(filesOf(ephemeral)).toEqual([]);
    expect((await getStream(server.url, persistent.streamId)).body.state).toBe('COMPLETED');
    const second = await expired(persistent);
    expect(second.after).toBeGreaterThanOrEqual(PERSISTENT_S);
    expect(second.after).toBeLessThan(PERSISTENT_S + LATE_S);
    expect((await call(server.url, `/export-service/api/v1/export/EVENTS?streams=${persistent.streamId}`)).status).toBe(204);
    await eventually(async () => expect(await groupState(persistent.groupId)).toBe('EXPIRED'));
    const late = await upload(server.url, { ...ping, groupId: persistent.groupId }, 'x');
    expect([late.status, late.body.internalErrorName]).toEqual([409, 'GENERAL_CONFLICT_ERROR']);
    const cancel = await call(server.url, `/stream-service/api/v1/streams/${persistent.streamId}/cancel`, { method: 'PUT' });
    expect(cancel.status).toBe(409);
  });

  test('expires when it FAILED too, with the same time and description', async () => {
    const id = randomUUID();
    const sending = slowUpload(server.url, { ...ping, id });
    sending.send('x');
    await eventually(async () => expect((await getStream(server.url, id)).status).toBe(200));
    await call(server.url, `/stream-service/api/v1/streams/${id}/cancel`, { method: 'PUT' });
    const failed = await streamEnd(server.url, id);
    const { stream } = await expired(failed);
    expect(stream).toEqual({ ...failed, state: 'EXPIRED' });
    expect(stream.stateDescription).toBe('Canceled by user');
  });

  test('waits for its last live reader, then for its whole retention time', async () => {
    const id = randomUUID();
    const sending = slowUpload(server.url, { ...ping, id });
    sending.send('x');
    const pending = slowUpload(server.url, { ...ping, groupId: id, id: randomUUID() });
    const reader = readLive(server.url, `streams=${id}`);
    await reader.headers;
    sending.end();
    const stream = await streamEnd(server.url, id);
    // It has received everything and stays, because a second stream of the same read is still open.
    const both = readLive(server.url, `group=${id}&count=2`);
    pending.send('y');
    expect((await both.headers).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, (EPHEMERAL_S + 3) * 1000));
    expect((await getStream(server.url, id)).body.state).toBe('COMPLETED');
    both.leave();
    const left = Date.now();
    const { after } = await expired(stream);
    const afterLeaving = Date.parse(stream.finalizedTimestamp) + after * 1000 - left;
    expect(afterLeaving).toBeGreaterThanOrEqual(EPHEMERAL_S * 1000 - 300);
    expect(afterLeaving).toBeLessThan((EPHEMERAL_S + LATE_S) * 1000);
    pending.end();
    await pending.answered;
  });
});

describe('an upload that says how long its results are kept', () => {
  const retentionOf = async (streamId: string) => (await call(server.url, `/stream-service/api/v1/streams/${streamId}/retention`)).body;

  test('keeps them that long after its end, without persist', async () => {
    const stream = await finished({ keepFor: 'PT1H' });
    const until = new Date(Date.parse(stream.finalizedTimestamp) + 3_600_000).toISOString();
    expect(await retentionOf(stream.streamId)).toEqual({ streamId: stream.streamId, until, latest: null });
    expect((await call(server.url, `/export-service/api/v1/export/EVENTS?streams=${stream.streamId}`)).status).toBe(200);
  });

  test.each([
    ['text that is not a duration', { keepFor: 'soon' }, /not an ISO 8601 duration/],
    ['a duration without a number', { keepFor: 'PT' }, /not an ISO 8601 duration/],
    ['no time', { keepFor: 'P0D' }, /keepFor is 0/],
    ['more than a hundred years', { keepFor: 'P101Y' }, /too long/],
    ['persist=false', { keepFor: 'P1D', persist: 'false' }, /persist=false does not/],
  ])('refuses %s', async (_, query, message) => {
    const { status, body } = await upload(server.url, { ...ping, ...query }, 'x');
    expect([status, body.message]).toEqual([400, expect.stringMatching(message)]);
  });

  test('can be changed for many streams at once', async () => {
    const [one, other] = [await finished({ persist: 'true', label: 'many' }), await finished({ keepFor: 'PT1H', label: 'many' })];
    const body = { filter: { label: ['many'] }, until: null };
    const changed = await call(server.url, '/stream-service/api/v1/streams/retention', { method: 'PUT', body });
    expect(changed.body).toEqual({ matched: 2, changed: 2 });
    for (const { streamId } of [one, other]) expect(await retentionOf(streamId)).toEqual({ streamId, until: null, latest: null });
    const passed = { ...body, until: '2019-01-01T00:00:00Z' };
    expect((await call(server.url, '/stream-service/api/v1/streams/retention', { method: 'PUT', body: passed })).status).toBe(400);
  });
});

describe('a deletion', () => {
  test('deletes the bytes at once, and is idempotent', async () => {
    const stream = await finished({ persist: 'true' });
    if (!isClusterForm) expect(filesOf(stream)).toHaveLength(2);
    expect((await deletion(stream.streamId)).status).toBe(204);
    expect(filesOf(stream)).toEqual([]);
    expect((await getStream(server.url, stream.streamId)).body).toEqual({ ...stream, state: 'EXPIRED' });
    expect((await call(server.url, `/stream-service/api/v1/streams?state=EXPIRED&size=100`)).body.content).toContainEqual(
      expect.objectContaining({ streamId: stream.streamId }),
    );
    expect((await deletion(stream.streamId)).status).toBe(204);
    await eventually(async () => expect(await groupState(stream.groupId)).toBe('EXPIRED'));
  });

  test('cancels a running upload: its client gets 409, and its live reader an end', async () => {
    const id = randomUUID();
    const sending = slowUpload(server.url, { ...ping, id });
    sending.send('hello');
    const reader = readLive(server.url, `streams=${id}`);
    await eventually(() => expect(reader.messages()).toHaveLength(1));
    expect((await deletion(id)).status).toBe(204);
    const { body } = await getStream(server.url, id);
    expect([body.state, body.stateDescription]).toEqual(['EXPIRED', 'Canceled by user']);
    await reader.done;
    sending.send('more');
    expect(await sending.answered).toBe(409);
    await eventually(() => expect(filesOf(body)).toEqual([]));
  });

  test("of another's or an unknown stream is 404", async () => {
    const stream = await finished({ persist: 'true' });
    const issued = await call(server.url, '/credential-service/api/v1/credentials', {
      method: 'POST',
      body: { kind: 'api-key', label: 'other', role: 'gateway' },
    });
    expect((await deletion(stream.streamId, issued.body.secret)).status).toBe(404);
    expect((await deletion(randomUUID())).status).toBe(404);
    expect((await deletion('none')).status).toBe(404);
    expect((await getStream(server.url, stream.streamId)).body.state).toBe('COMPLETED');
  });
});

describe('a restart', () => {
  test.skipIf(embeddedOnly('data directory'))('keeps retention times, and removes topics left by a dead process', async () => {
    const stream = await finished();
    const open = randomUUID();
    const sending = slowUpload(server.url, { ...ping, id: open });
    sending.send('half an upload');
    await eventually(async () => expect((await getStream(server.url, open)).status).toBe(200));
    const broken = (await getStream(server.url, open)).body;
    await server.kill();
    const orphan = randomUUID();
    writeFileSync(join(dataDir, 'topics', orphan.slice(0, 2), orphan), 'what a crash before the stream leaves');
    expect(filesOf(broken).length).toBeGreaterThan(0);
    server = await startServer({ dataDir, environment });
    await eventually(() => expect(topicFiles()).not.toContain(orphan));
    await eventually(() => expect(filesOf(broken)).toEqual([]));
    const { after } = await expired(stream);
    expect(after).toBeLessThan(EPHEMERAL_S + 5 + 10);
    const given = await expired((await getStream(server.url, open)).body);
    expect(given.stream).toMatchObject({ state: 'EXPIRED', stateDescription: 'The node that took the upload stopped' });
  });
});
