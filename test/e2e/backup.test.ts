import { randomBytes } from 'node:crypto';
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { topicId } from '../../src/domain/stream/streamConfiguration.ts';
import { restore } from '../../src/moving/restore.ts';
import { lockDataDirectory } from '../../src/stores/embedded/dataDirectory.ts';
import { eventually } from '../eventually.ts';
import { Receiver } from '../receiver.ts';
import { call, getStream, PING_TEMPLATE, streamEnd, TEXT_TEMPLATE, upload } from './client.ts';
import { type RunningServer, startServer } from './server.ts';
import { tributary } from './tributary.ts';

// Each command is a separate process, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const TEXT = 'The committee met on Monday. It decided to buy a red boat. The boat will be delivered in May.';
const environment = {
  SEAL_INTERVAL_S: '1',
  SEAL_EVENTS: '20',
  RETENTION_EPHEMERAL_S: '3600',
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
};

let files = '';
let server: RunningServer;
let receiver: Receiver;
let textStream = '';

const at = (name: string) => join(files, name);
const ping = (body: string | Buffer, query: Record<string, string> = {}) =>
  upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE, ...query }, body);
const everyFile = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** A fresh data directory with the source's key for the restored backup. */
const restored = async (backup: string, name: string): Promise<string> => {
  const dataDir = at(name);
  mkdirSync(dataDir);
  cpSync(join(server.dataDir, 'master.key'), join(dataDir, 'master.key'));
  const { code, stdout, stderr } = await tributary(dataDir, ['restore', at(backup)]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('chains and seals hold');
  return dataDir;
};

beforeAll(async () => {
  files = mkdtempSync(join(tmpdir(), 'tributary-backup-'));
  receiver = await Receiver.start();
  server = await startServer({ environment });
  const endpoint = { url: receiver.url('/told'), events: ['stream.completed'], enabled: true };
  expect((await call(server.url, '/notification-service/api/v1/webhook-endpoints', { method: 'PUT', body: endpoint })).status).toBe(200);
  const query = { streamConfigurationTemplateId: TEXT_TEMPLATE, summary: 'true', persist: 'true' };
  textStream = (await upload(server.url, query, TEXT)).body.streamId;
  await streamEnd(server.url, textStream);
  await eventually(() => receiver.at('/told').length === 1);
});
afterAll(async () => {
  await server.kill();
  await receiver.close();
  rmSync(files, { recursive: true, force: true });
});

describe('a backup under load', () => {
  test('contains everything acknowledged before it began, and its restored copy verifies, serves and continues deliveries', async () => {
    const acknowledged: string[] = [];
    let running = true;
    const load = Array.from({ length: 4 }, async () => {
      while (running) {
        const { status, body } = await ping('some bytes of load');
        if (status === 200) acknowledged.push(body.streamId);
        // One file each: too many copies would dominate the test.
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    });
    await eventually(() => acknowledged.length > 15);
    // At once, so that several share a commit.
    const large: { readonly bytes: Buffer; readonly topic: string }[] = [];
    const one = async () => {
      const bytes = randomBytes(50_000);
      large.push({ bytes, topic: topicId(String((await ping(bytes, { persist: 'true' })).body.configuration.dataSource.topic)) });
    };
    await Promise.all(Array.from({ length: 48 }, one));
    const before = [...acknowledged];
    const { code, stdout, stderr } = await tributary(server.dataDir, ['backup', at('loaded'), '--json']);
    const during = acknowledged.length - before.length;
    running = false;
    await Promise.all(load);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ verified: true, withMasterKey: false });
    expect(readdirSync(at('loaded')).sort(), 'beside the running server').toEqual(['log.db', 'manifest.ndjson', 'topics', 'vault.db']);
    for (const { bytes, topic } of large)
      expect(readFileSync(join(at('loaded'), 'topics', topic.slice(0, 2), topic)).includes(bytes)).toBe(true);
    expect(during, 'the server went on meanwhile').toBeGreaterThan(0);

    const dataDir = await restored('loaded', 'from-loaded');
    const told = receiver.at('/told').length;
    const again = await startServer({ dataDir, environment });
    for (const streamId of before) {
      const { status, body } = await getStream(again.url, streamId);
      expect([status, ['COMPLETED', 'READY'].includes(body.state)]).toEqual([200, true]);
    }
    expect((await call(again.url, `/export-service/api/v1/export/TEXT?streams=${textStream}`)).text).toContain('red boat');
    expect((await tributary(dataDir, ['audit', 'verify'])).stdout).toContain('Everything holds');

    // Webhooks sent before the copy are not repeated; the next one has the next number.
    const { body: next } = await upload(again.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'next');
    await streamEnd(again.url, next.streamId);
    const news = await eventually(() => {
      const since = receiver.at('/told').slice(told);
      return since.some(({ event }) => event.payload.streamId === next.streamId) && since;
    });
    const first = receiver.at('/told')[0];
    expect(news.map(({ event }) => event.id)).not.toContain(first?.event.id);
    const numbers = news.map(({ headers }) => Number(headers['webhook-sequence']));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(Math.min(...numbers)).toBeGreaterThan(1);
    expect(Math.max(...numbers) - Math.min(...numbers)).toBe(numbers.length - 1);
    await again.stop();
  });
});

describe('a backup', () => {
  test('without its key can be restored, but does not start until the key is put back', async () => {
    const { stdout: made } = await tributary(server.dataDir, ['backup', at('plain')]);
    expect(made).toContain('The backup does NOT contain the master key');
    const dataDir = at('keyless');
    const { code, stdout } = await tributary(dataDir, ['restore', at('plain')]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Put master.key into')]);
    await expect(startServer({ dataDir })).rejects.toThrow('master.key');
    const other = await tributary(dataDir, ['audit', 'verify'], { MASTER_KEY: Buffer.alloc(32, 7).toString('base64') });
    expect(other.stderr).toContain('another master key');
    cpSync(join(server.dataDir, 'master.key'), join(dataDir, 'master.key'));
    const again = await startServer({ dataDir, environment });
    expect((await getStream(again.url, textStream)).body.state).toBe('COMPLETED');
    await again.stop();
  });

  test.each([
    ['a directory that is not empty', () => files],
    ['the data directory', () => join(server.dataDir, 'backup')],
  ])('is not written into %s', async (_, directory) => {
    const { code, stderr } = await tributary(server.dataDir, ['backup', directory()]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/is not empty|lies in the data directory/);
    expect(existsSync(join(server.dataDir, 'backup'))).toBe(false);
  });

  test('of a tampered log is refused with the place and leaves nothing, unless --no-verify is given', async () => {
    const dataDir = await restored('plain', 'tampered');
    const log = new DatabaseSync(join(dataDir, 'log.db'));
    log.exec(
      `UPDATE events SET data = json_set(data, '$.bytes', 5) WHERE type = 'UploadCompleted' AND event_stream = 'stream-${textStream}'`,
    );
    log.close();
    const refused = await tributary(dataDir, ['backup', at('of-tampered')]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`stream-${textStream} revision`)]);
    expect(readdirSync(at('of-tampered'))).toEqual([]);
    expect((await tributary(dataDir, ['backup', at('of-tampered'), '--no-verify'])).stdout).toContain('were not checked');
  });
});

describe('a restore', () => {
  const restoring = (directory: string, dataDir: string) =>
    restore({ directory, dataDir, masterKey: undefined, verify: true, onProgress: () => {} });

  test('is refused into a data directory that is not empty', async () => {
    const { code, stderr } = await tributary(server.dataDir, ['restore', at('plain')]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not empty')]);
  });

  test.each([
    ['a file that was changed', (backup: string) => appendFileSync(join(backup, 'log.db'), 'x'), 'is not what was backed up'],
    ['a manifest that was cut off', (backup: string) => cut(join(backup, 'manifest.ndjson')), 'damaged or was cut off'],
    ['no manifest', (backup: string) => rmSync(join(backup, 'manifest.ndjson')), 'is this a whole backup'],
    ['a path that leads elsewhere', (backup: string) => lead(join(backup, 'manifest.ndjson')), 'damaged'],
  ])('refuses a backup with %s, and leaves a reusable directory', async (_, harm, said) => {
    const backup = mkdtempSync(join(files, 'harmed-'));
    cpSync(at('plain'), backup, { recursive: true });
    harm(backup);
    const dataDir = mkdtempSync(join(files, 'empty-'));
    await expect(restoring(backup, dataDir)).rejects.toThrow(said);
    expect(readdirSync(dataDir).filter((name) => name !== 'lock.db')).toEqual([]);
    expect(await restoring(at('plain'), dataDir)).toMatchObject({ hasMasterKey: false });
  });

  test('that was killed leaves a directory that refuses to start', async () => {
    const dataDir = mkdtempSync(join(files, 'killed-'));
    writeFileSync(join(dataDir, 'restoring'), '');
    await expect(lockDataDirectory(dataDir)).rejects.toThrow('was interrupted');
  });
});

test('a backup after an erasure contains nothing of the person', async () => {
  const credential = { kind: 'api-key', role: 'user', label: 'of somebody' };
  const { body: issued } = await call(server.url, '/credential-service/api/v1/credentials', { method: 'POST', body: credential });
  const options = { key: issued.secret };
  const query = { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true', name: 'Zacharias the unforgettable' };
  const { body: stream } = await upload(server.url, query, 'Zacharias said this and nothing else', options);
  await streamEnd(server.url, stream.streamId);
  const hidden = await tributary(server.dataDir, ['backup', at('before'), '--with-master-key']);
  expect(hidden.code).toBe(0);
  const holding = (directory: string) => everyFile(directory).filter((file) => readFileSync(file).includes('Zacharias'));
  expect(holding(at('before')).length, 'the bytes were there').toBeGreaterThan(0);

  const erased = await call(server.url, `/audit-service/api/v1/subjects/${stream.creatorId}`, { method: 'DELETE' });
  expect(erased.body).toMatchObject({ keysDestroyed: 1 });
  expect((await tributary(server.dataDir, ['backup', at('after'), '--with-master-key'])).code).toBe(0);
  expect(holding(at('after'))).toEqual([]);
  expect((await tributary(at('from-after'), ['restore', at('after')])).code).toBe(0);
  const shown = await tributary(at('from-after'), ['audit', 'events', `stream-${stream.streamId}`, '--json']);
  expect(JSON.parse(shown.stdout.split('\n')[0] ?? '').data.name).toBeNull();
});

test('a backup of a stopped data directory works like one of a running server', async () => {
  await server.stop();
  const { code, stdout } = await tributary(server.dataDir, ['backup', at('stopped')]);
  expect(code).toBe(0);
  expect(stdout).toContain('chains and seals hold');
  expect(readdirSync(at('stopped')).sort()).toEqual(['log.db', 'manifest.ndjson', 'topics', 'vault.db']);
});

test('a backup leaves out topics whose bytes are lost, and says how many', async () => {
  await server.stop();
  const log = new DatabaseSync(join(server.dataDir, 'log.db'));
  log.exec('UPDATE topics SET segment = zeroblob(0)');
  log.close();
  const { code, stdout } = await tributary(server.dataDir, ['backup', at('damaged')]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\d+ topics are damaged and not in the backup\.$/m);
});

const cut = (file: string): void => writeFileSync(file, readFileSync(file).subarray(0, -100));

const lead = (file: string): void => writeFileSync(file, readFileSync(file, 'utf8').replace('"log.db"', '"../log.db"'));
