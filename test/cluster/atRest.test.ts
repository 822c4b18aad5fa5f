import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { withDatabase } from '../fakes/mongodb/databaseUrl.ts';
import { type FakeReplicaSet, openReplicaSet } from '../fakes/mongodb/replicaSet.ts';
import { type FakeMongo, startMongo } from '../fakes/mongodb/start.ts';
import { startCluster, type TestCluster, TTL } from './node.ts';

vi.setConfig({ testTimeout: 60 * TTL, hookTimeout: 40 * TTL });

/** Some of its work runs every ten seconds. */
const WATCHED_SECONDS = 20;
const MOST_A_SECOND = 2;
/** The driver's own commands, which monitor the server. */
const MONITORING = new Set(['hello', 'ismaster', 'isMaster', 'ping', 'endSessions']);

let mongo: FakeMongo;
let counted: FakeReplicaSet;
let cluster: TestCluster;

beforeAll(async () => {
  mongo = await startMongo();
  counted = await openReplicaSet({ port: Number(new URL(mongo.url).port) }, 1_000);
  // A node's default time.
  cluster = await startCluster(
    { LEASE_TTL_MS: '10000' },
    withDatabase(`mongodb://127.0.0.1:${counted.port}/`, '', { directConnection: 'true' }),
  );
});
afterAll(async () => {
  await cluster.stop();
  await counted.close();
  await mongo.stop();
});

const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

test(`an idle node sends MongoDB at most ${MOST_A_SECOND} commands a second`, async () => {
  await cluster.node('http,projections,policies,processors,delivery');
  // Work done once after the start.
  await pause(15);
  const before = counted.all.length;
  await pause(WATCHED_SECONDS);
  const sent = counted.all.slice(before).filter(({ name }) => !MONITORING.has(name));
  const kinds = new Map<string, number>();
  for (const { name, document } of sent) kinds.set(`${name} ${document[name]}`, (kinds.get(`${name} ${document[name]}`) ?? 0) + 1);
  console.log(`commands a second at rest: ${sent.length / WATCHED_SECONDS} ${JSON.stringify([...kinds])}`);
  expect(sent.length / WATCHED_SECONDS, JSON.stringify([...kinds])).toBeLessThanOrEqual(MOST_A_SECOND);
});
