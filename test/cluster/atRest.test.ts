import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { withDatabase } from '../fakes/mongodb/databaseUrl.ts';
import { type FakeReplicaSet, openReplicaSet } from '../fakes/mongodb/replicaSet.ts';
import { type FakeMongo, fakeMongoIsHere, startMongo } from '../fakes/mongodb/start.ts';
import { startCluster, type TestCluster, TTL } from './node.ts';

vi.setConfig({ testTimeout: 60 * TTL, hookTimeout: 40 * TTL });

/** Some of its work runs every ten seconds. */
const WATCHED_SECONDS = 20;
const MOST_A_SECOND = 2;
/** The driver's own commands, which monitor the server. */
const MONITORING = new Set(['hello', 'ismaster', 'isMaster', 'ping', 'endSessions']);
/** It counts commands, which does not depend on the server. */
const isHere = await fakeMongoIsHere();

describe.skipIf(!isHere)('a node at rest', () => {
  let mongo: FakeMongo;
  let counted: FakeReplicaSet;
  let cluster: TestCluster;

  beforeAll(async () => {
    mongo = await startMongo();
    counted = await openReplicaSet({ port: Number(new URL(mongo.url).port) }, 1_000);
    // The time that a node has by default.
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

  test(`sends MongoDB at most ${MOST_A_SECOND} commands a second`, async () => {
    await cluster.node('http,projections,policies,processors,delivery');
    // What it does once, after its start.
    await wait(15_000);
    const before = counted.all.length;
    await wait(WATCHED_SECONDS * 1_000);
    const sent = counted.all.slice(before).filter(({ name }) => !MONITORING.has(name));
    const kinds = new Map<string, number>();
    for (const { name, document } of sent) kinds.set(`${name} ${document[name]}`, (kinds.get(`${name} ${document[name]}`) ?? 0) + 1);
    console.log(`commands a second at rest: ${sent.length / WATCHED_SECONDS} ${JSON.stringify([...kinds])}`);
    expect(sent.length / WATCHED_SECONDS, JSON.stringify([...kinds])).toBeLessThanOrEqual(MOST_A_SECOND);
  });
});
