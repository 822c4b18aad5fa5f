import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { call, PING_TEMPLATE, upload } from '../e2e/client.ts';
import { withDatabase } from '../fakes/mongodb/databaseUrl.ts';
import { type FakeReplicaSet, openReplicaSet } from '../fakes/mongodb/replicaSet.ts';
import { type FakeMongo, fakeMongoIsHere, startMongo } from '../fakes/mongodb/start.ts';
import { startCluster, type TestCluster, type TestNode, TTL } from './node.ts';

vi.setConfig({ testTimeout: 60 * TTL, hookTimeout: 40 * TTL });

/** Some of its work runs every ten seconds. */
const WATCHED_SECONDS = 20;
const MOST_A_SECOND = 2;
const UPLOADS = 8;
/** Of most uploads. On a busy machine, read models take the events of some in two steps, which costs about nine more. */
const MOST_COMMANDS = 20;
const MOST_APPENDS = 2;
/** The driver's own commands, which monitor the server. */
const MONITORING = new Set(['hello', 'ismaster', 'isMaster', 'ping', 'endSessions']);
/** It counts commands, which does not depend on the server. */
const isHere = await fakeMongoIsHere();

describe.skipIf(!isHere)('a node of its own', () => {
  let mongo: FakeMongo;
  let counted: FakeReplicaSet;
  let cluster: TestCluster;
  let node: TestNode;

  beforeAll(async () => {
    mongo = await startMongo();
    counted = await openReplicaSet({ port: Number(new URL(mongo.url).port) }, 1_000);
    // The time that a node has by default.
    cluster = await startCluster(
      { LEASE_TTL_MS: '10000', RETENTION_EPHEMERAL_S: '3600' },
      withDatabase(`mongodb://127.0.0.1:${counted.port}/`, '', { directConnection: 'true' }),
    );
    node = await cluster.node('http,projections,policies,processors,delivery');
    // What it does once, after its start.
    await wait(15_000);
  });
  afterAll(async () => {
    await cluster.stop();
    await counted.close();
    await mongo.stop();
  });

  /** Commands by name and collection while `work` runs, without the driver's own. */
  const commandsOf = async (work: () => Promise<unknown>): Promise<ReadonlyMap<string, number>> => {
    const before = counted.all.length;
    await work();
    const kinds = new Map<string, number>();
    for (const { name, document } of counted.all.slice(before)) {
      const kind = `${name} ${document[name]}`;
      if (!MONITORING.has(name)) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    return kinds;
  };
  const sum = (kinds: ReadonlyMap<string, number>) => [...kinds.values()].reduce((all, count) => all + count, 0);

  /** As measured. */
  let aSecond = 0;

  test(`sends MongoDB at most ${MOST_A_SECOND} commands a second at rest`, async () => {
    const kinds = await commandsOf(() => wait(WATCHED_SECONDS * 1_000));
    aSecond = sum(kinds) / WATCHED_SECONDS;
    expect(aSecond, JSON.stringify([...kinds])).toBeLessThanOrEqual(MOST_A_SECOND);
  });

  const appends = async (): Promise<number> => {
    const { text } = await call(node.url, '/metrics');
    return Number(/^tributary_append_duration_seconds_count (\d+)/m.exec(text)?.[1]);
  };

  test(`needs at most ${MOST_COMMANDS} commands to MongoDB and ${MOST_APPENDS} appends for a small upload through the echo`, async () => {
    const one = async () => {
      expect((await upload(node.url, { streamConfigurationTemplateId: PING_TEMPLATE }, Buffer.alloc(65_536, 1))).status).toBe(200);
      // Until everything that it causes has ended, without asking the server.
      await wait(1_500);
    };
    await one();
    const before = await appends();
    const uploads: { readonly kinds: ReadonlyMap<string, number>; readonly commands: number }[] = [];
    for (let n = 0; n < UPLOADS; n += 1) {
      const began = performance.now();
      const kinds = await commandsOf(one);
      uploads.push({ kinds, commands: sum(kinds) - ((performance.now() - began) / 1_000) * aSecond });
    }
    const median = uploads.sort((a, b) => a.commands - b.commands)[UPLOADS >> 1];
    expect(median?.commands, JSON.stringify([...(median?.kinds ?? [])])).toBeLessThanOrEqual(MOST_COMMANDS);
    // And one seal, which comes every minute.
    expect((await appends()) - before).toBeLessThanOrEqual(UPLOADS * MOST_APPENDS + 1);
  });
});
