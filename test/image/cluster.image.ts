import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, call, PING_TEMPLATE, TRANSCRIPTION_TEMPLATE, upload } from '../e2e/client.ts';
import { ADMIN_KEY } from '../e2e/server.ts';
import { freePort } from '../freePort.ts';
import { docker, newName, spoken } from './docker.ts';

const NGINX = 'nginx:1.28-alpine';
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

/** On a busy machine the stand-ins for the stores are slow, and are counted as away. */
const isStoreAway = ({ status, text }: Answer): boolean => status === 503 && text.includes('A store is unavailable');

/** Uploads one after the other over several connections until `work` has ended. Returns how many were accepted, and what became of the others. */
const uploadingDuring = async (url: string, work: () => Promise<unknown>) => {
  let isOver = false;
  let accepted = 0;
  const failures: unknown[] = [];
  const client = async (): Promise<void> => {
    while (!isOver) {
      try {
        const answer = await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'x');
        if (answer.status === 200) accepted += 1;
        else if (!isStoreAway(answer)) failures.push(answer);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  const clients = Promise.all([client(), client(), client(), client()]);
  await work().finally(() => {
    isOver = true;
  });
  await clients;
  return { accepted, failures };
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
    const { accepted, failures } = await uploadingDuring(url, async () => {
      for (const node of ['http-1', 'http-2']) await compose(['up', '-d', '--wait', '--no-deps', node], changed);
    });
    console.log(`${accepted} uploads while a setting was changed`);
    expect(failures).toEqual([]);
    expect(accepted).toBeGreaterThan(20);
    const { body } = await call(url, '/openapi.json');
    expect(body.servers).toEqual([{ url: 'http://tributary.example.org' }]);
  });
});
