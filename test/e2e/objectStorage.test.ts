import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../eventually.ts';
import { S3_BUILD_TIMEOUT, S3_CREDENTIALS, s3IsHere, startS3, type TestS3 } from '../fakes/s3/start.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { call, getStream, PING_TEMPLATE, streamEnd, upload } from './client.ts';
import { embeddedOnly } from './clusterForm.ts';
import { ADMIN_KEY, type RunningServer, startServer, storesOf } from './server.ts';
import { tributary } from './tributary.ts';
import { chunk, creation } from './tus.ts';

vi.setConfig({ testTimeout: 180_000 });

const isHere = await s3IsHere();
const LARGE = 300_000;
const EXPORT = '/export-service/api/v1/export';

describe.skipIf(!isHere)('with TOPICS_URL', () => {
  let s3: TestS3;
  let url: string;
  let server: RunningServer;
  const environment = (topicsUrl: string) => ({ ...S3_CREDENTIALS, TOPICS_URL: topicsUrl, RETENTION_PERSISTENT_S: '3600' });
  beforeAll(async () => {
    s3 = await startS3();
    url = s3.topicsUrl();
    server = await startServer({ environment: environment(url) });
  }, S3_BUILD_TIMEOUT);
  afterAll(async () => {
    await server.kill();
    await s3.stop();
  });

  const objects = (of = url) => s3.objects(of).filter((path) => path.includes('/topics/'));
  const ping = (body: Uint8Array, key = ADMIN_KEY) =>
    upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' }, body, { key, expects503: true });
  /** A completed echo of these bytes. */
  const echo = async (body: Uint8Array, key = ADMIN_KEY): Promise<string> => {
    const answer = await ping(body, key);
    expect(answer.status).toBe(200);
    expect((await streamEnd(server.url, answer.body.streamId)).state).toBe('COMPLETED');
    return answer.body.streamId;
  };
  const newPerson = async (): Promise<{ readonly secret: string; readonly subject: string }> => {
    const body = { kind: 'api-key', label: 'a person', role: 'user' };
    return (await call(server.url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body;
  };
  const echoed = async (base: string, streamId: string): Promise<Buffer> => {
    const { text } = await call(base, `${EXPORT}/EVENTS?streams=${streamId}`, { headers: { accept: 'application/x-ndjson' } });
    const lines = text.trim().split('\n');
    return Buffer.concat(lines.map((line) => Buffer.from(JSON.parse(line).payload, 'base64')));
  };
  const media = (streamId: string, range?: string): Promise<Response> =>
    fetch(`${server.url}/stream-service/api/v1/streams/${streamId}/data-source`, {
      headers: { authorization: `Basic ${ADMIN_KEY}`, ...(range && { range }) },
    });
  const remove = async (streamId: string): Promise<void> =>
    expect((await call(server.url, `/stream-service/api/v1/streams/${streamId}`, { method: 'DELETE' })).text).toBe('');

  test('large uploads and results lie in the bucket until their stream is deleted', async () => {
    const body = randomBytes(LARGE);
    const streamId = await echo(body);
    expect(objects()).toHaveLength(2);
    const kept = objects().map((path) => readFileSync(s3.path(url, path)));
    expect(kept.every((bytes) => bytes.equals(body))).toBe(true);
    expect((await echoed(server.url, streamId)).equals(body)).toBe(true);
    const whole = await media(streamId);
    expect(Buffer.from(await whole.arrayBuffer()).equals(body)).toBe(true);
    const part = await media(streamId, 'bytes=222222-222999');
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 222222-222999/${LARGE}`]);
    expect(Buffer.from(await part.arrayBuffer()).equals(body.subarray(222_222, 223_000))).toBe(true);
    await remove(streamId);
    expect(objects()).toEqual([]);
  });

  test('small ones do not', async () => {
    await remove(await echo(randomBytes(65_535)));
    const streamId = await echo(randomBytes(1_000));
    expect(objects()).toEqual([]);
    await remove(streamId);
  });

  test('a resumable upload lies there when its last byte has arrived', async () => {
    const body = randomBytes(LARGE);
    const created = await creation(server.url, LARGE, { query: `streamConfigurationTemplateId=${PING_TEMPLATE}&persist=true` });
    const location = created.headers.get('location') ?? '';
    const streamId = created.headers.get('tributary-stream-id') ?? '';
    await chunk(server.url, location, 0, body.subarray(0, 100_000));
    expect(objects()).toEqual([]);
    expect((await chunk(server.url, location, 100_000, body.subarray(100_000))).status).toBe(204);
    await streamEnd(server.url, streamId);
    expect(objects()).toHaveLength(2);
    expect((await echoed(server.url, streamId)).equals(body)).toBe(true);
    await remove(streamId);
    expect(objects()).toEqual([]);
  });

  test('while the bucket is away, what needs it is 503, runs wait, and the rest works', async () => {
    const body = randomBytes(LARGE);
    const streamId = await echo(body);
    await s3.kill();
    const refused = await ping(randomBytes(LARGE));
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([503, expect.any(Number)]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const read = await media(streamId);
    await read.arrayBuffer();
    expect([read.status, Number(read.headers.get('retry-after')) > 0]).toEqual([503, true]);
    const small = await echo(randomBytes(1_000));
    const again = await call(server.url, `/stream-service/api/v1/streams/${streamId}/rerun`, { method: 'POST', body: {} });
    expect(again.status).toBe(202);
    expect((await getStream(server.url, streamId)).body.state).toBe('READY');
    await s3.restart();
    expect((await streamEnd(server.url, streamId, 60_000)).state).toBe('COMPLETED');
    expect((await echoed(server.url, streamId)).equals(body)).toBe(true);
    for (const id of [streamId, small]) await remove(id);
  });

  test('what is deleted or erased while the bucket is away is gone when it is back', async () => {
    const [deleted, person] = [await echo(randomBytes(LARGE)), await newPerson()];
    await echo(randomBytes(LARGE), person.secret);
    expect(objects()).toHaveLength(4);
    await s3.kill();
    const options = { method: 'DELETE', expects503: true };
    expect((await call(server.url, `/stream-service/api/v1/streams/${deleted}`, options)).status).toBe(503);
    expect((await call(server.url, `/audit-service/api/v1/subjects/${person.subject}`, options)).status).toBe(503);
    await s3.restart();
    expect((await call(server.url, `/audit-service/api/v1/subjects/${person.subject}`, { method: 'DELETE' })).status).toBe(200);
    await eventually(() => expect(objects()).toEqual([]), 60_000);
    await eventually(async () => expect((await getStream(server.url, deleted)).body.state).toBe('EXPIRED'));
  });

  test.skipIf(embeddedOnly('data directory'))('a server starts without its bucket, and uses it when it is there', async () => {
    const dataDir = temporaryDirectory();
    const settings = environment(s3.topicsUrl());
    const first = await startServer({ dataDir, environment: settings });
    const body = randomBytes(LARGE);
    const query = { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' };
    const { streamId } = (await upload(first.url, query, body)).body;
    await streamEnd(first.url, streamId);
    await first.kill();
    await s3.kill();
    const again = await startServer({ dataDir, environment: settings });
    expect(again.log()).toContain('object storage is away');
    expect((await upload(again.url, query, body, { expects503: true })).status).toBe(503);
    expect((await upload(again.url, query, 'small')).status).toBe(200);
    await s3.restart();
    expect((await echoed(again.url, streamId)).equals(body)).toBe(true);
    expect((await upload(again.url, query, body)).status).toBe(200);
  });

  test('erasing a person deletes their objects and no others', async () => {
    const person = await newPerson();
    const kept = await echo(randomBytes(LARGE));
    const others = objects();
    await echo(randomBytes(LARGE), person.secret);
    expect(objects().length).toBe(others.length + 2);
    expect((await call(server.url, `/audit-service/api/v1/subjects/${person.subject}`, { method: 'DELETE' })).status).toBe(200);
    expect(objects()).toEqual(others);
    await remove(kept);
  });

  /** `tributary start`, which is expected to refuse. */
  const refusal = async (settings: Readonly<Record<string, string>>): Promise<string> => {
    const directory = temporaryDirectory();
    const { code, stderr } = await tributary(directory, ['start'], {
      ...(await storesOf(directory)),
      PORT: '0',
      LOG_LEVEL: 'silent',
      ...settings,
    });
    expect(code).toBe(2);
    return stderr;
  };

  test('a start refuses the bucket of another deployment, one with versions, and one that does not exist', async () => {
    expect(await refusal(environment(url))).toContain('TOPICS_URL: The prefix belongs to another deployment');
    expect(await refusal(environment(s3.topicsUrl(await s3.versionedBucket())))).toContain('TOPICS_URL: The bucket keeps versions');
    expect(await refusal(environment(s3.topicsUrl('no-such-bucket')))).toContain('TOPICS_URL: The bucket does not exist');
    expect(await refusal({ TOPICS_URL: 's3://' })).toContain('TOPICS_URL');
  });

  describe.skipIf(embeddedOnly('data directory'))('copies', () => {
    test('a backup refers to the objects; its restored copy reads them and sweeps none before an operator confirms', async () => {
      const body = randomBytes(LARGE);
      const streamId = await echo(body);
      const [backup, dataDir] = [join(temporaryDirectory(), 'backup'), temporaryDirectory()];
      const made = await tributary(server.dataDir, ['backup', backup, '--with-master-key'], environment(url));
      expect([made.code, made.stdout]).toEqual([0, expect.stringContaining('The bytes of 2 topics lie in object storage')]);
      expect((await tributary(dataDir, ['restore', backup], environment(url))).code).toBe(0);
      const forgotten = await tributary(dataDir, ['start'], { PORT: '0', LOG_LEVEL: 'silent' });
      expect([forgotten.code, forgotten.stderr]).toEqual([2, expect.stringContaining('TOPICS_URL')]);
      const copy = await startServer({ dataDir, environment: environment(url) });
      onTestFinished(() => copy.kill());
      expect((await echoed(copy.url, streamId)).equals(body)).toBe(true);
      expect(copy.log()).toContain('tributary objects confirm');
      expect((await tributary(dataDir, ['objects', 'confirm'])).stdout).toBe('Confirmed.\n');
      await copy.kill();
      const restarted = await startServer({ dataDir, environment: environment(url) });
      expect(restarted.log()).not.toContain('tributary objects confirm');
      await remove(streamId);
    });

    test('an export carries the bytes into another bucket, or into none', async () => {
      const body = randomBytes(LARGE);
      const streamId = await echo(body);
      const file = join(temporaryDirectory(), 'all.ndjson');
      expect((await tributary(server.dataDir, ['export', file], environment(url))).code).toBe(0);
      const masterKey = readFileSync(join(server.dataDir, 'master.key'), 'utf8').trim();
      const other = s3.topicsUrl();
      for (const settings of [environment(other), { RETENTION_PERSISTENT_S: '3600' }]) {
        const dataDir = temporaryDirectory();
        const stores = { ...settings, MASTER_KEY: masterKey };
        const imported = await tributary(dataDir, ['import', file], stores);
        expect([imported.code, imported.stderr]).toEqual([0, expect.any(String)]);
        const copy = await startServer({ dataDir, environment: stores });
        await eventually(async () => expect((await echoed(copy.url, streamId)).equals(body)).toBe(true));
        await copy.kill();
      }
      expect(objects(other)).toHaveLength(2);
      await remove(streamId);
    });
  });
});
