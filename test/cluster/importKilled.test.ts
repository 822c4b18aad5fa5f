import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { expect, onTestFinished, test, vi } from 'vitest';
import { call, PING_TEMPLATE, streamEnd, upload } from '../e2e/client.ts';
import { launch } from '../e2e/launch.ts';
import { settings } from '../e2e/server.ts';
import { tributary } from '../e2e/tributary.ts';
import { eventually } from '../eventually.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { startFakeCluster, TTL } from './node.ts';

vi.setConfig({ testTimeout: 60 * TTL, hookTimeout: 40 * TTL });

const BYTES = 48 * 1_048_576;

/** An export with one large upload, and the master key that it was made under. */
const exported = async () => {
  const dataDir = temporaryDirectory();
  const server = launch({ ...settings({ DATA_DIR: dataDir }) });
  onTestFinished(server.kill);
  const url = await server.ready;
  const { body } = await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' }, randomBytes(BYTES));
  await streamEnd(url, body.streamId);
  await server.stop();
  const file = join(dataDir, 'moved.ndjson');
  expect((await tributary(dataDir, ['export', file])).code).toBe(0);
  return { file, masterKey: readFileSync(join(dataDir, 'master.key'), 'utf8').trim(), streamId: body.streamId };
};

test('an import that is killed leaves topics that a server deletes or the next import writes again', async () => {
  const { file, masterKey, streamId } = await exported();
  // An import needs an empty log: that of a named server is shared by all tests.
  const cluster = await startFakeCluster({ MASTER_KEY: masterKey }, process.env.TEST_MONGODB_URL ?? '');
  onTestFinished(() => cluster.stop());
  const client = await new MongoClient(cluster.environment.MONGODB_URL ?? '').connect();
  onTestFinished(() => client.close());
  const topics = client.db().collection<{ _id: string; state: string; writer: string }>('topics');
  const frames = client.db().collection('frames');
  const nodes = client.db().collection('views.doc.nodes');
  const states = async () => (await topics.find().toArray()).map(({ state }) => state);
  const killedImport = async () => {
    const importing = spawn(process.execPath, ['bin/tributary.js', 'import', file], { env: cluster.environment, stdio: 'ignore' });
    const exited = once(importing, 'exit');
    const before = (await topics.find({ state: 'unsealed' }).toArray())[0]?.writer;
    const isUnderWay = async () => {
      const [written] = await topics.find({ state: 'unsealed' }).toArray();
      expect(written?.writer).toBeTypeOf('string');
      expect(written?.writer).not.toBe(before);
      expect(await frames.countDocuments()).toBeGreaterThan(2);
    };
    // Looks often: the import is soon over.
    await vi.waitFor(isUnderWay, { interval: 10, timeout: 10 * TTL });
    importing.kill('SIGKILL');
    await exited;
    expect(await states()).toContain('unsealed');
  };

  await killedImport();
  // The next one begins the topic again, under its own node.
  await killedImport();
  const policies = await cluster.node('policies');
  await eventually(async () => (await nodes.find().toArray()).length === 1);
  await policies.stop();
  // Each start sweeps.
  const sweeper = await cluster.node('policies');
  await eventually(async () => !(await states()).includes('unsealed'));
  await sweeper.stop();

  const again = await tributary(cluster.environment.DATA_DIR ?? '', ['import', file], cluster.environment);
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('Chains and seals hold')]);
  expect(new Set(await states())).toEqual(new Set(['sealed']));
  const node = await cluster.node('http,projections');
  const { status, body } = await call(node.url, `/stream-service/api/v1/streams/${streamId}`);
  expect([status, body.state]).toEqual([200, 'COMPLETED']);
});
