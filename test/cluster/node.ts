import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Backends, startBackends, startFakeBackends } from '../e2e/clusterForm.ts';
import { type Launched, launch } from '../e2e/launch.ts';
import { settings } from '../e2e/server.ts';
import type { FakeEventStoreDb } from '../fakes/eventStoreDb/startEventStoreDb.ts';

export interface TestNode extends Launched {
  readonly url: string;
}

type Stoppable = Pick<FakeEventStoreDb, 'stop'>;

/** Nodes over one log and one database, on one machine with one DATA_DIR. */
export interface TestCluster<Store extends Stoppable = Stoppable> {
  readonly backends: Backends<Store>;
  readonly environment: Readonly<Record<string, string>>;
  /** Resolves when it is ready. */
  node(roles: string, more?: Readonly<Record<string, string>>): Promise<TestNode>;
  /** Kills every node and its stores. */
  stop(): Promise<void>;
}

/** A node that is silent for this long counts as dead, in milliseconds: longer on a shared machine. */
export const TTL = Number(process.env.TEST_LEASE_TTL_MS ?? 4_000);

/** `mongo`: default the MongoDB that `TEST_MONGODB_URL` names. */
export const startCluster = async (more: Readonly<Record<string, string>> = {}, mongo?: string): Promise<TestCluster> =>
  clusterOn(await startBackends(mongo), more);

/** The same over a fake EventStoreDB, for tests that look into it. */
export const startFakeCluster = async (more: Readonly<Record<string, string>>, mongo: string): Promise<TestCluster<FakeEventStoreDb>> =>
  clusterOn(await startFakeBackends(mongo), more);

const clusterOn = <Store extends Stoppable>(backends: Backends<Store>, more: Readonly<Record<string, string>>): TestCluster<Store> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-cluster-'));
  const environment = {
    ...backends.environment,
    ...{ PATH: process.env.PATH ?? '', DATA_DIR: dataDir, LEASE_TTL_MS: String(TTL), PUBLIC_URL: 'http://tributary.example' },
    ...more,
  };
  const launched: Launched[] = [];
  return {
    backends,
    environment,
    node: async (roles, own = {}) => {
      const started = launch({ ...settings(environment), ROLES: roles, ...own });
      launched.push(started);
      return { ...started, url: await started.ready };
    },
    stop: async () => {
      await Promise.all(launched.map((one) => one.kill()));
      await backends.eventStore.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
