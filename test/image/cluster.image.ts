import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Answer, call, PING_TEMPLATE, readCaughtUp, TRANSCRIPTION_TEMPLATE, upload } from '../e2e/client.ts';
import { ADMIN_KEY } from '../e2e/server.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../freePort.ts';
import { docker, newName, spoken } from './docker.ts';
import { buildNextVersion } from './nextVersion.ts';

const NGINX = 'nginx:1.28-alpine';
const NEXT_VERSION = '99.0.0';
const FILES = ['docker-compose.cluster.yml', 'test/image/stores/compose.yml'].flatMap((file) => ['-f', file]);

/** Images of the stores, and of nginx where no registry has it. */
const buildStores = async (context: string): Promise<void> => {
  copyFileSync('test/image/stores/Dockerfile', join(context, 'Dockerfile'));
  cpSync('test/fakes/eventStoreDb', join(context, 'eventStoreDb'), { recursive: true });
  const mongo = execFileSync(process.execPath, ['test/fakes/mongodb/build.mjs'], { encoding: 'utf8' }).trim();
  copyFileSync(mongo, join(context, 'ferretdb'));
  const build = (target: string, tag: string) => docker(['build', '-q', '--network', 'host', '--target', target, '-t', tag, context]);
  await build('eventstore', 'tributary-test-eventstore');
  await build('mongodb', 'tributary-test-mongodb');
  const works = (...words: string[]) => spawnSync('docker', words, { stdio: 'ignore' }).status === 0;
  if (!works('image', 'inspect', NGINX) && !works('pull', '-q', NGINX)) await build('nginx', NGINX);
};

const STREAMS = '/stream-service/api/v1/streams';

/** On a busy machine the stand-ins for the stores are slow, and are counted as away. */
const isStoreAway = ({ status, text }: Answer): boolean => status === 503 && /store( of the read models)? is unavailable/.test(text);

/** Between two requests of a connection. On a machine without a break, the read models of the new version would never be complete. */
const PACE_MILLISECONDS = 100;

/** Uploads and reads over several connections until `work` has ended. Returns the accepted streams, the answers by status, and the failures. */
const trafficDuring = async (url: string, work: () => Promise<unknown>) => {
  let isOver = false;
  const accepted: string[] = [];
  const failures: unknown[] = [];
  const seen = { uploads: 0, reads: 0, behind: 0, 'away stores': 0 };
  const client = async (kind: 'uploads' | 'reads', request: () => Promise<Answer>): Promise<void> => {
    while (!isOver) {
      try {
        const answer = await request();
        if (answer.headers.has('tributary-consistency')) seen.behind += 1;
        if (answer.status === 200) seen[kind] += 1;
        else if (isStoreAway(answer)) seen['away stores'] += 1;
        else failures.push(answer);
        if (kind === 'uploads' && answer.status === 200) accepted.push(answer.body.streamId);
      } catch (error) {
        failures.push(error);
      }
      await wait(PACE_MILLISECONDS);
    }
  };
  const uploading = () => client('uploads', () => upload(url, { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' }, 'x'));
  const reading = () => client('reads', () => call(url, `${STREAMS}?size=5`));
  const readingNewest = () => client('reads', () => call(url, STREAMS + (accepted.length > 0 ? `/${accepted.at(-1)}` : '')));
  const clients = [uploading(), uploading(), uploading(), uploading(), reading(), readingNewest()];
  await work().finally(() => {
    isOver = true;
  });
  await Promise.all(clients);
  return { accepted, seen, failures };
};

describe.skipIf(process.env.TEST_DOCKER !== 'yes')('docker-compose.cluster.yml (needs a Docker engine)', () => {
  const project = newName();
  let url = '';
  const environment: NodeJS.ProcessEnv = {
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    BOOTSTRAP_API_KEY: ADMIN_KEY,
    // The stand-in is no replica set.
    MONGODB_URL: 'mongodb://mongodb:27017/tributary',
  };
  const compose = (words: readonly string[], changed: NodeJS.ProcessEnv = {}) =>
    docker(['compose', ...FILES, '-p', project, ...words], { ...environment, ...changed });

  beforeAll(async () => {
    const context = mkdtempSync(join(tmpdir(), 'tributary-stores-'));
    await buildStores(context).finally(() => rmSync(context, { recursive: true }));
    environment.PORT = String(await freePort());
    url = `http://127.0.0.1:${environment.PORT}`;
    const began = performance.now();
    await compose(['up', '-d', '--wait']);
    console.log(`docker compose -f docker-compose.cluster.yml up -d --wait: ${Math.round((performance.now() - began) / 1_000)} s`);
  });
  afterAll(async () => void (await compose(['down', '-v', '--timeout', '20'])));

  test('transcribes behind its one port', async () => {
    const { body } = await upload(url, { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, persist: 'true' }, spoken());
    expect((await call(url, `/export-service/api/v1/export/TEXT?streams=${body.streamId}`)).text).toMatch(/hello/i);
  });

  test('fails no request while a setting is changed on one http node after the other, and finds the replaced nodes', async () => {
    const changed = { PUBLIC_URL: 'http://tributary.example.org' };
    const { accepted, seen, failures } = await trafficDuring(url, async () => {
      for (const node of ['http-1', 'http-2']) await compose(['up', '-d', '--wait', node], changed);
    });
    console.log('while a setting was changed:', seen);
    expect(failures).toEqual([]);
    expect(accepted.length).toBeGreaterThan(20);
    const { body } = await call(url, '/openapi.json');
    expect(body.servers).toEqual([{ url: 'http://tributary.example.org' }]);
  });

  test('fails no request and loses no upload while one node after the other gets a new version with another read model', async () => {
    await buildNextVersion(NEXT_VERSION, 'tributary:next');
    await docker(['tag', 'tributary', 'tributary:former']);
    onTestFinished(async () => void (await docker(['tag', 'tributary:former', 'tributary'])));
    await docker(['tag', 'tributary:next', 'tributary']);
    const { accepted, seen, failures } = await trafficDuring(url, async () => {
      // It gives up after two minutes, and is then repeated, as the handbook says.
      await eventually(() => compose(['up', '-d', '--wait', '--no-recreate', '--scale', 'projections=2', 'projections']), 240_000);
      for (const node of ['http-1', 'http-2']) await compose(['up', '-d', '--wait', node]);
      await compose(['up', '-d', '--wait']);
    });
    console.log('while all nodes got a new version:', seen);
    expect(failures).toEqual([]);
    expect(accepted.length).toBeGreaterThan(20);
    // The runs have waited for the new processors node.
    await eventually(async () => (await call(url, `${STREAMS}?state=READY&size=1`)).body.totalElements === 0, 120_000);
    for (const streamId of accepted) expect((await call(url, `${STREAMS}/${streamId}`)).body.state).toBe('COMPLETED');
    const { body: listed } = await readCaughtUp(url, `${STREAMS}?size=1`);
    expect(listed.totalElements).toBeGreaterThanOrEqual(accepted.length);
    const versions = await Promise.all(Array.from({ length: 8 }, async () => (await call(url, '/openapi.json')).body.info.version));
    expect(new Set(versions)).toEqual(new Set([NEXT_VERSION]));
  }, 600_000);
});
