import { randomUUID } from 'node:crypto';
import { type FakeEventStoreDb, startEventStoreDb } from '../fakes/eventStoreDb/startEventStoreDb.ts';
import { withDatabase } from '../fakes/mongodb/databaseUrl.ts';

/** Whether the servers of the end-to-end tests are started in the cluster form: `npm run test:cluster`. */
export const isClusterForm = process.env.TRIBUTARY_FORM === 'cluster';

/** Why a test says nothing of the cluster form. All reasons stand here. */
const EMBEDDED_ONLY = {
  'data directory': 'the stores are servers: DATA_DIR holds nothing to look at, to lock, or to start again from',
  'control socket': 'the command line works on the shared stores, with or without nodes',
  'a full disk': 'MongoDB looks after its own disk',
  'system calls': 'what is synced to disk is a matter of the stores',
} as const;

/** Files that are not run in the cluster form at all. */
export const EMBEDDED_FILES = {
  backup: 'the command copies a data directory; servers have backups of their own, and the command says so',
  moving: 'it starts both forms itself, and moves from one to the other',
} as const;

/** For `test.skipIf` and `describe.skipIf`. */
export const embeddedOnly = (_reason: keyof typeof EMBEDDED_ONLY): boolean => isClusterForm;

/** The three processes of a server in the cluster form; the first one is who is asked. */
export const CLUSTER_ROLES = ['http', 'policies,projections', 'processors,delivery'] as const;

export interface Backends<Store = Pick<FakeEventStoreDb, 'stop'>> {
  readonly eventStore: Store;
  readonly environment: Readonly<Record<string, string>>;
}

/** All tests share the log of a named server, so they share its keys too: one installation, also from run to run. */
const SHARED_DATABASE = 'tributary_test_stores';

/**
 * A log and a database of their own, for any number of nodes. The MongoDB server is the one that `TEST_MONGODB_URL` names. Where `EVENTSTORE_URL` names a server, its log and one database
 * are used by all tests.
 */
export const startBackends = async (mongo?: string): Promise<Backends> => {
  const { EVENTSTORE_URL: named, TEST_MONGODB_URL: shared } = process.env;
  if (!named || mongo !== undefined) return startFakeBackends(mongo ?? shared);
  if (!shared) throw new Error(NO_MONGO);
  return { eventStore: { stop: async () => undefined }, environment: environmentOf(named, withDatabase(shared, SHARED_DATABASE)) };
};

/** The same, with an event store that plays faults. */
export const startFakeBackends = async (mongo: string | undefined): Promise<Backends<FakeEventStoreDb>> => {
  if (!mongo) throw new Error(NO_MONGO);
  const eventStore = await startEventStoreDb();
  return { eventStore, environment: environmentOf(eventStore.url, withDatabase(mongo, `t${randomUUID().replaceAll('-', '')}`)) };
};

const NO_MONGO = 'TEST_MONGODB_URL names no server: npm run test:cluster starts one';

const environmentOf = (eventStore: string, mongo: string) => ({
  EVENTSTORE_URL: eventStore,
  MONGODB_URL: mongo,
  MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  // No node is taken for dead because the machine is busy, and fewer leases are renewed.
  LEASE_TTL_MS: '20000',
});
