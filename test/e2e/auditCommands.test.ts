import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { allProjections } from '../../src/projections/all.ts';
import { eventually, PATIENCE } from '../eventually.ts';
import { call, PING_TEMPLATE, streamEnd, upload } from './client.ts';
import { isClusterForm } from './clusterForm.ts';
import { type RunningServer, startServer } from './server.ts';
import { type Ran, tributary } from './tributary.ts';

// Each command is a separate process, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 * PATIENCE });

let server: RunningServer;
let streamId = '';
let files = '';

const run = (...words: string[]): Promise<Ran> => tributary(server.dataDir, words, server.environment);

const at = (name: string) => join(files, name);

beforeAll(async () => {
  files = mkdtempSync(join(tmpdir(), 'tributary-test-'));
  server = await startServer({ environment: { SEAL_INTERVAL_S: '1', SEAL_EVENTS: '5' } });
  const { body } = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE, name: 'a name' }, 'bytes');
  streamId = body.streamId;
  await streamEnd(server.url, streamId);
  await eventually(async () => {
    const { body: verdict } = await call(server.url, '/audit-service/api/v1/verify');
    return verdict.sealed !== null;
  });
});
afterAll(async () => {
  await server.kill();
  rmSync(files, { recursive: true, force: true });
});

/** The first created stream of all events. */
const firstCreated = async (): Promise<{ id: string }> => {
  const { stdout } = await run('audit', 'events', '--type', 'StreamCreated', '--order', 'asc', '--json');
  return JSON.parse(stdout.split('\n')[0] ?? '');
};

/** Lines on stderr, without the warning of the cluster form that EventStoreDB has no TLS. */
const complaints = (stderr: string): string[] =>
  stderr.split('\n').filter((line) => line !== '' && !line.includes('EVENTSTORE_URL has no TLS'));

const leavesAfterOneLine = async (): Promise<void> => {
  // Without SHLVL, a shell whose input is a socket behaves like a remote login.
  const command = `"${process.execPath}" bin/tributary.js audit export | head -1; exit \${PIPESTATUS[0]}`;
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', command], { env: { ...server.environment, SHLVL: '2' } });
  expect([JSON.parse(stdout), complaints(stderr)]).toEqual([expect.anything(), []]);
};

describe('beside a running server, the command line', () => {
  test('shows events, one event and states', async () => {
    const shown = await run('audit', 'events', `stream-${streamId}`);
    expect(shown.code).toBe(0);
    expect(shown.stdout.split('\n')[0]).toContain('StreamCreated');
    const first = await firstCreated();
    expect(first).toMatchObject({ eventStream: `stream-${streamId}`, data: { name: 'a name' } });
    expect(JSON.parse((await run('audit', 'event', first.id, '--json')).stdout)).toEqual(first);
    expect((await run('audit', 'events', '--order', 'upwards')).stderr).toContain('Allowed choices are asc, desc');
    const state = JSON.parse((await run('audit', 'state', `stream-${streamId}`, '--as-of', '0', '--compare-with', '1')).stdout);
    expect(state).toMatchObject({ revision: '0', state: { stream: { state: 'READY' } }, difference: expect.any(Array) });
    expect((await run('audit', 'event', 'nothing')).code).toBe(1);
    const unknown = await run('audit', 'events', 'stream-nothing');
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('No such event stream stream-nothing')]);
    expect((await run('audit', 'events', `stream-${streamId}`, '--type', 'StreamFailed')).code).toBe(0);
    expect((await run('audit', 'events', '--size', 'x')).code).toBe(2);
    expect((await run('audit', 'events', '--nonsense')).stderr).toContain('--nonsense');
  });

  test('verifies the log', async () => {
    const { code, stdout } = await run('audit', 'verify', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { ok: true, firstBroken: null }]);
    expect((await run('audit', 'verify', `stream-${streamId}`)).stdout).toContain('Everything holds');
    expect((await run('audit', 'verify', 'stream-nobody')).code).toBe(1);
  });

  test('ends an export quietly when its reader leaves', leavesAfterOneLine);

  test('exports log and seals, which verify with only these files', async () => {
    writeFileSync(at('seals.ndjson'), (await run('audit', 'seals')).stdout);
    await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'more bytes');
    writeFileSync(at('log.ndjson'), (await run('audit', 'export')).stdout);
    const offline = (...words: string[]) => run('audit', 'verify', '--file', at('log.ndjson'), ...words);
    expect((await offline('--seals', at('seals.ndjson'))).stdout).toContain('Everything holds');
    const seals = readFileSync(at('seals.ndjson'), 'utf8').split('\n');
    writeFileSync(at('key.pem'), JSON.parse(seals[0] ?? '').publicKey);
    expect((await offline('--seals', at('seals.ndjson'), '--key', at('key.pem'))).code).toBe(0);
    expect((await offline('--key', at('key.pem'))).code).toBe(0);
    const without = await offline();
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('--seals')]);
    expect((await offline(`stream-${streamId}`, '--key', at('key.pem'))).code).toBe(2);
    expect((await run('audit', 'verify', '--key', at('key.pem'))).code).toBe(2);
  });
});

describe('an export that was tampered with', () => {
  const tampered = async (change: (lines: string[]) => string[]) => {
    const lines = readFileSync(at('log.ndjson'), 'utf8').split('\n').filter(Boolean);
    writeFileSync(at('tampered.ndjson'), change(lines).join('\n'));
    const { code, stdout } = await run('audit', 'verify', '--file', at('tampered.ndjson'), '--seals', at('seals.ndjson'), '--json');
    return { code, ...JSON.parse(stdout) };
  };

  test('is detected, and the place is named', async () => {
    expect(await tampered((lines) => lines)).toMatchObject({ code: 0, ok: true });
    const edited = await tampered((lines) => lines.map((line) => line.replace('"type":"UploadCompleted"', '"type":"UploadFailed"')));
    expect(edited).toMatchObject({ code: 1, ok: false, firstBroken: { eventStream: `stream-${streamId}` } });
    const gone = await tampered((lines) => lines.filter((line) => !line.includes(`"eventStream":"stream-`)));
    expect(gone.firstBroken).toMatchObject({ eventStream: `stream-${streamId}`, reason: expect.stringContaining('gone') });
    const cut = await tampered((lines) => lines.slice(0, 6));
    expect(cut.ok).toBe(false);
    expect(cut.firstBroken.reason).toMatch(/is sealed/);
  });

  test('does not verify under another key', async () => {
    const { generateKeyPairSync } = await import('node:crypto');
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeFileSync(at('other.pem'), publicKey.export({ format: 'pem', type: 'spki' }));
    const { code, stdout } = await run(
      'audit',
      'verify',
      '--file',
      at('log.ndjson'),
      '--seals',
      at('seals.ndjson'),
      '--key',
      at('other.pem'),
    );
    expect([code, stdout]).toEqual([1, expect.stringContaining('BROKEN at seals')]);
  });
});

describe('a stopped data directory', () => {
  beforeAll(async () => {
    expect(await server.stop()).toBe(0);
  });

  test('shows events, verifies, and exports log and seals', async () => {
    expect(await firstCreated()).toMatchObject({ eventStream: `stream-${streamId}`, data: { name: 'a name' } });
    const { code, stdout } = await run('audit', 'verify', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { ok: true, firstBroken: null }]);
    writeFileSync(at('seals.ndjson'), (await run('audit', 'seals')).stdout);
    writeFileSync(at('log.ndjson'), (await run('audit', 'export')).stdout);
    const offline = await run('audit', 'verify', '--file', at('log.ndjson'), '--seals', at('seals.ndjson'));
    expect(offline.stdout).toContain('Everything holds');
  });

  test('ends an export quietly when its reader leaves', leavesAfterOneLine);

  test('lists credentials without their secrets', async () => {
    const { stdout } = await run('credentials', 'list', '--json');
    expect(JSON.parse(stdout)).toHaveLength(2);
    expect(stdout).not.toContain('secret');
  });

  test('allows erasing a person, and rebuilding and dropping read models', async () => {
    const created = JSON.parse(
      (await run('credentials', 'create', '--kind', 'api-key', '--role', 'user', '--label', 'PLANTED', '--json')).stdout,
    );
    expect((await run('audit', 'erase', created.subject)).code).toBe(2);
    const erased = JSON.parse((await run('audit', 'erase', created.subject, '--yes', '--json')).stdout);
    expect(erased).toMatchObject({ subject: created.subject, keysDestroyed: 1, credentialsRevoked: 1, documentsDestroyed: 2 });
    if (!isClusterForm) expect(readFileSync(join(server.dataDir, 'views.db')).includes('PLANTED')).toBe(false);
    expect((await run('audit', 'erase', 'nobody', '--yes')).code).toBe(1);
    expect((await run('projections', 'rebuild', '--all')).code).toBe(0);
    const status = JSON.parse((await run('projections', 'status', '--json')).stdout);
    expect(status.map(({ name }: { name: string }) => name).sort()).toEqual(allProjections.map(({ name }) => name).sort());
    expect(status.every(({ lagEvents }: { lagEvents: number }) => lagEvents === 0)).toBe(true);
    const rebuilt = await run('projections', 'rebuild', 'groups', '--json');
    expect(complaints(rebuilt.stderr)).toEqual([]);
    expect(JSON.parse(rebuilt.stdout)).toMatchObject([{ name: 'groups', state: 'live', lagEvents: 0 }]);
    expect((await run('projections', 'rebuild')).code).toBe(2);
    // Old documents stay briefly for nodes that do not know the new ones yet.
    expect((await run('projections', 'drop')).stdout).toContain('Dropped');
    expect(JSON.parse((await run('projections', 'drop', '--json')).stdout)).toEqual([]);
    expect((await run('audit', 'verify')).code).toBe(0);
  });
});
