import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { BESIDE_OTHERS, eventually, PATIENCE } from '../eventually.ts';
import { Receiver } from '../receiver.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { call, getStream, PING_TEMPLATE, streamEnd, upload } from './client.ts';
import { embeddedOnly } from './clusterForm.ts';
import { launch } from './launch.ts';
import { ADMIN_KEY, CLIENT_ID, CLIENT_SECRET, type RunningServer, settings, startServer, storesOf } from './server.ts';
import { PROGRAM } from './tributary.ts';

const tributary = (words: readonly string[], environment: Readonly<Record<string, string | undefined>> = {}) =>
  spawnSync(process.execPath, [PROGRAM, ...words], {
    env: { PATH: process.env.PATH, ...environment },
    encoding: 'utf8',
    timeout: 60_000 * PATIENCE,
  });

const dashboardLine = (server: RunningServer): object => JSON.parse(/^.*"msg":"dashboard".*$/m.exec(server.log())?.[0] ?? '{}');

describe('starting', () => {
  test('prints one plain line with its address to stdout when ready, at every log level', async () => {
    const server = await startServer({ environment: { LOG_LEVEL: 'silent' } });
    expect(server.output()).toBe(`tributary ready ${server.url}\n`);
    expect((await call(server.url, '/health/ready', { key: null })).status).toBe(200);
    expect((await call(server.url, '/health/live', { key: null })).status).toBe(200);
  });

  test('fails with a sentence if its port is in use, and shows the administrator at the next start', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const environment = { BOOTSTRAP_CLIENT_ID: '', BOOTSTRAP_CLIENT_SECRET: '', BOOTSTRAP_API_KEY: '' };
    const dataDir = temporaryDirectory();
    const refused = launch({ ...settings(await storesOf(dataDir)), PORT: String(port), ...environment });
    await expect(refused.ready).rejects.toThrow('ended with 2');
    await eventually(() => expect(refused.log()).toContain(`PORT: port ${port} of 127.0.0.1 is already in use`));
    expect(refused.log()).not.toMatch(/API key\s/);
    const server = await startServer({ environment, dataDir });
    const key = /API key\s+(\S+)/.exec(server.log())?.[1] ?? '';
    expect((await call(server.url, '/credential-service/api/v1/credentials', { key })).status).toBe(200);
  });

  test.each([
    ['PORT', 'http'],
    ['TRUST_PROXY', 'the-proxy'],
    ['PRICE_LIST_FILE', '/nowhere'],
  ])('stops with a malformed %s and names it', (name, value) => {
    const { status, stderr, stdout } = tributary(['start'], { DATA_DIR: temporaryDirectory(), [name]: value });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(name);
  });

  test.skipIf(embeddedOnly('data directory'))(
    'rebuilds the views if their file is missing: usage and deliveries have the same bytes as before, with the answers of receivers',
    async () => {
      const receiver = await Receiver.start();
      onTestFinished(() => receiver.close());
      receiver.answer('/hook', (_, response) => response.writeHead(200).end('thank you'));
      const environment = { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };
      const server = await startServer({ environment });
      const hook = { url: receiver.url('/hook'), events: ['stream.*'], enabled: true };
      const { body: endpoint } = await call(server.url, '/notification-service/api/v1/webhook-endpoints', { method: 'PUT', body: hook });
      const { body } = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' }, 'x');
      await streamEnd(server.url, body.streamId);
      const answers = (url: string): Promise<string[]> => {
        const ofStream = `/usage-service/api/v1/usage/streams/${body.streamId}`;
        const ofEndpoint = `/notification-service/api/v1/webhook-endpoints/${endpoint.id}/deliveries`;
        return Promise.all(['/stream-service/api/v1/streams', ofStream, ofEndpoint].map(async (path) => (await call(url, path)).text));
      };
      const before = await eventually(async () => {
        const texts = await answers(server.url);
        const deliveries: { state: string }[] = JSON.parse(texts[2] ?? '').content;
        expect(deliveries.map(({ state }) => state)).toEqual(['delivered', 'delivered']);
        return texts;
      });
      expect(before[2]).toContain('thank you');
      await server.stop();
      for (const suffix of ['', '-wal', '-shm']) rmSync(join(server.dataDir, `views.db${suffix}`), { force: true });
      const again = await startServer({ dataDir: server.dataDir, environment });
      expect(await answers(again.url)).toEqual(before);
    },
  );
});

describe('a first start without bootstrap settings', () => {
  const environment = {
    BOOTSTRAP_CLIENT_ID: '',
    BOOTSTRAP_CLIENT_SECRET: '',
    BOOTSTRAP_API_KEY: '',
    PUBLIC_URL: 'https://tributary.example.org',
    TRUST_PROXY: 'true',
  };
  let server: RunningServer;
  beforeAll(async () => {
    server = await startServer({ environment });
  });
  afterAll(() => server.kill());

  test('logs PUBLIC_URL as the address of the dashboard without a terminal', async () => {
    await eventually(() => expect(dashboardLine(server)).toMatchObject({ url: environment.PUBLIC_URL }));
  });

  test('warns with TRUST_PROXY=true that callers can forge their address', () => {
    expect(server.log()).toContain('TRUST_PROXY=true believes any X-Forwarded-For');
  });

  test('creates and shows an administrator once without bootstrap settings', async () => {
    const key = /API key\s+(\S+)/.exec(server.log())?.[1] ?? '';
    expect((await call(server.url, '/credential-service/api/v1/credentials', { key })).status).toBe(200);
    await server.stop();
    const again = await startServer({ environment, dataDir: server.dataDir });
    expect(again.log()).not.toMatch(/API key\s/);
    expect((await call(again.url, '/credential-service/api/v1/credentials', { key })).status).toBe(200);
  });
});

describe('a running server', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.kill());

  test('logs its own address as that of the dashboard without a terminal', async () => {
    await eventually(() => expect(dashboardLine(server)).toMatchObject({ url: server.url }));
  });

  test('restores the bootstrap pair and key as one subject', async () => {
    const byKey = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'x');
    const byPair = await getStream(server.url, byKey.body.streamId, {
      key: null,
      headers: { 'x-client-id': CLIENT_ID, 'x-client-secret': CLIENT_SECRET },
    });
    expect(byPair.status).toBe(200);
  });

  test.skipIf(embeddedOnly('data directory'))('refuses a second server on its data directory with a sentence, and continues', async () => {
    const second = tributary(['start'], { DATA_DIR: server.dataDir, PORT: '0' });
    expect(second.status).not.toBe(0);
    expect(second.stderr).toMatch(/in use/);
    expect((await call(server.url, '/health/ready')).status).toBe(200);
  });

  test.skipIf(embeddedOnly('data directory'))('keeps its secrets readable by its owner only', async () => {
    for (const file of ['master.key', 'vault.db', 'control.sock']) {
      expect(statSync(join(server.dataDir, file)).mode & 0o077, file).toBe(0);
    }
  });

  test('accepts a credential at once that the command line issues, and refuses it within a second of its revocation', async () => {
    const { environment } = server;
    // The same limit as over HTTP, in code points.
    const label = '🎧'.repeat(255);
    const issued = tributary(['credentials', 'create', '--kind', 'api-key', '--role', 'user', '--label', label, '--json'], environment);
    expect(issued.status).toBe(0);
    const { id, secret } = JSON.parse(issued.stdout);
    expect((await call(server.url, '/stream-service/api/v1/streams', { key: secret })).status).toBe(200);
    expect(tributary(['credentials', 'revoke', id], environment).status).toBe(0);
    const revoked = performance.now();
    while ((await call(server.url, '/stream-service/api/v1/streams', { key: secret })).status === 200) {
      expect(performance.now() - revoked).toBeLessThan(1_000 * BESIDE_OTHERS);
    }
  });

  test('drains on SIGINT and exits 0', async () => {
    await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'x');
    expect(await server.stop()).toBe(0);
  });
});

test.each(['--help', 'start --help', 'audit events --help'])('tributary %s ends quietly when its reader leaves', (words) => {
  const command = `"${process.execPath}" bin/tributary.js ${words} | head -1; exit \${PIPESTATUS[0]}`;
  const { status, stderr } = spawnSync('bash', ['-c', command], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});

describe('npm start', () => {
  // npm passes the signal on to its shell; a shell that does not become the server would die and leave the server running.
  test('stops on SIGTERM like the server: it drains, exits 0, and releases the data directory', async () => {
    const environment = settings({ DATA_DIR: temporaryDirectory() });
    const npm = spawn('npm', ['start'], { env: environment, stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void npm.kill());
    let output = '';
    npm.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await eventually(async () => /^tributary ready http/m.test(output), 60_000);
    const exited = once(npm, 'exit');
    npm.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    const next = launch(environment);
    onTestFinished(() => next.kill());
    await next.ready;
  });
});

describe('SIGTERM', () => {
  /** Sends one request over a connection of its own, and later ones over the same. */
  const openConnection = async (url: string) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const ask = async (path: string, body?: string) => {
      const headers = { authorization: `Basic ${ADMIN_KEY}`, 'content-type': 'application/octet-stream' };
      const sent = request(url + path, { agent, headers, method: body === undefined ? 'GET' : 'POST' }).end(body);
      const [response] = await once(sent, 'response');
      return { status: response.statusCode, connection: response.headers.connection, body: await text(response) };
    };
    await ask('/health/live');
    return ask;
  };

  test('fails no request: what arrives on open connections is served, new connections are refused, and the server is not ready', async () => {
    const server = launch(settings(await storesOf(temporaryDirectory())));
    onTestFinished(server.kill);
    const url = await server.ready;
    const [uploads, probes] = [await openConnection(url), await openConnection(url)];
    const exited = once(server.process, 'exit');
    server.process.kill('SIGTERM');
    await eventually(() => expect(server.log()).toContain('"stopping"'));
    const uploaded = await uploads(`/http-gateway/api/v1/upload?streamConfigurationTemplateId=${PING_TEMPLATE}`, 'x');
    expect(uploaded).toMatchObject({ status: 200, connection: 'close', body: expect.stringContaining('streamId') });
    await expect(uploads('/health/live')).rejects.toThrow('ECONNREFUSED');
    expect(await probes('/health/ready')).toMatchObject({ status: 503, body: expect.stringContaining('The server is stopping.') });
    expect(await exited).toEqual([0, null]);
  });
});

describe('SIGTERM before it is ready', () => {
  test('stops a server at once that waits for its stores', async () => {
    const waiting = launch({
      ...settings({ DATA_DIR: temporaryDirectory(), MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }),
      EVENTSTORE_URL: 'esdb://127.0.0.1:9?tls=false',
      MONGODB_URL: 'mongodb://127.0.0.1:9/?serverSelectionTimeoutMS=200',
    });
    onTestFinished(waiting.kill);
    await eventually(() => expect(waiting.log()).toMatch(/waiting for MongoDB/));
    expect(await waiting.stop()).toBe(0);
  });

  test.skipIf(embeddedOnly('data directory'))('stops a server in order that is building its read models', async () => {
    const socket = createServer().listen(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address() as AddressInfo;
    socket.close();
    // No node builds them.
    const building = launch(settings({ DATA_DIR: temporaryDirectory(), PORT: String(port), ROLES: 'http' }));
    onTestFinished(building.kill);
    const url = `http://127.0.0.1:${port}`;
    await eventually(async () => expect((await call(url, '/health/ready', { key: null })).status).toBe(503));
    expect([await building.stop(), building.output()]).toEqual([0, '']);
  });
});

/** As an earlier version would have left the read model of streams, whose documents had other members. */
const outdate = (viewsFile: string): void => {
  const views = new DatabaseSync(viewsFile);
  const collection = views.prepare(`SELECT id FROM "doc:projections" WHERE id LIKE 'streams@%'`).get()?.id;
  views.exec(`
    ALTER TABLE "doc:${collection}" RENAME TO "doc:streams@0";
    UPDATE "doc:streams@0" SET body = json_remove(body, '$.attempts');
    UPDATE collections SET name = 'streams@0' WHERE name = '${collection}';
    UPDATE "doc:projections" SET id = 'streams@0', body = json_set(body, '$.collection', 'streams@0', '$.version', 0) WHERE id = '${collection}'`);
  views.close();
};

const streamsOf = async (url: string): Promise<string[]> =>
  (await call(url, '/stream-service/api/v1/streams')).body.content.map(({ streamId }: { streamId: string }) => streamId);

describe('after an update that changes a read model', () => {
  test.skipIf(embeddedOnly('data directory'))('--serve-stale is ready at once and serves the previous read model', async () => {
    const server = await startServer();
    const { body } = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' }, 'x');
    await streamEnd(server.url, body.streamId);
    // A single stream is read from the log too: the read model may be later, and a stop does not wait for it.
    await eventually(async () => expect(await streamsOf(server.url)).toEqual([body.streamId]));
    await server.stop();
    outdate(join(server.dataDir, 'views.db'));
    // No node builds the new one.
    const stale = launch(settings({ DATA_DIR: server.dataDir, ROLES: 'http' }), [], ['--serve-stale']);
    onTestFinished(stale.kill);
    const url = await stale.ready;
    expect((await call(url, '/health/ready', { key: null })).status).toBe(200);
    expect(await streamsOf(url)).toEqual([body.streamId]);
    expect((await getStream(url, body.streamId)).body.state).toBe('COMPLETED');
  });

  test('--serve-stale is refused on stores that other nodes share', () => {
    const shared = {
      EVENTSTORE_URL: 'esdb://127.0.0.1:1',
      MONGODB_URL: 'mongodb://127.0.0.1:1',
      MASTER_KEY: Buffer.alloc(32).toString('base64'),
    };
    const { status, stderr } = tributary(['start', '--serve-stale'], shared);
    expect([status, stderr]).toEqual([2, expect.stringContaining('--serve-stale: it works for a single node only.')]);
  });
});

describe('the command line', () => {
  test.each([
    [['projections', 'status']],
    [['credentials', 'list']],
    [['credentials', 'create', '--kind', 'api-key', '--role', 'user', '--label', 'x']],
    [['audit', 'verify']],
  ])('%j reports missing data, and creates none', (words) => {
    const dataDir = join(temporaryDirectory(), 'mistyped');
    const { status, stderr } = tributary(words, { DATA_DIR: dataDir });
    expect([status, stderr]).toEqual([1, expect.stringContaining(`${dataDir} contains no Tributary data`)]);
    expect(existsSync(dataDir)).toBe(false);
  });

  test.each([
    ['--label', ['credentials', 'create', '--kind', 'api-key', '--role', 'user', '--label', '']],
    ['--expires', ['credentials', 'create', '--kind', 'api-key', '--role', 'user', '--label', 'x', '--expires', 'tomorrow']],
    ['--from', ['audit', 'events', '--from', 'yesterday']],
    ['--as-of', ['audit', 'state', 'seals', '--as-of', 'soon']],
  ])('an invalid %s is named, with exit code 2', (option, words) => {
    const { status, stderr } = tributary(words, { DATA_DIR: temporaryDirectory() });
    expect([status, stderr]).toEqual([2, expect.stringContaining(option)]);
  });

  test('names a wrong flag and exits 2', () => {
    const { status, stderr } = tributary(['credentials', 'list', '--colour', 'red']);
    expect(status).toBe(2);
    expect(stderr).toContain('--colour');
  });

  test.each([
    [[]],
    [['start']],
    [['credentials']],
    [['credentials', 'create']],
    [['projections']],
    [['projections', 'rebuild']],
    [['backup']],
    [['import']],
    [['audit']],
    [['audit', 'events']],
    [['demo']],
  ])('tributary %j --help explains the command and exits 0', (words) => {
    const { status, stdout } = tributary([...words, '--help']);
    expect(status).toBe(0);
    expect(stdout).toContain('Usage: tributary');
    expect(stdout).toMatch(/\nExamples?:\n {2}.*tributary /);
  });
});

describe('the settings', () => {
  test('a data directory of a newer version is refused with a sentence', () => {
    const dataDir = temporaryDirectory();
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(join(dataDir, 'format.json'), '{"format":999}');
    const { status, stderr } = tributary(['start'], { DATA_DIR: dataDir, PORT: '0' });
    expect(status).toBe(1);
    expect(stderr).toMatch(/newer version/);
  });
});
