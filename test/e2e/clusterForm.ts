import { randomUUID } from 'node:crypto';
import { type FakeEventStoreDb, startEventStoreDb } from '../fakes/eventStoreDb/startEventStoreDb.ts';
import { withDatabase } from '../fakes/mongodb/databaseUrl.ts';

/** Whether the servers of the end-to-end tests are started in the cluster form: `npm run test:cluster`. */
export const isClusterForm = process.env.TRIBUTARY_FORM === 'cluster';

/** Reasons why a test does not apply to the cluster form. */
const EMBEDDED_ONLY = {
  'data directory': 'the stores are servers: DATA_DIR holds nothing to look at, to lock, or to start again from',
  'control socket': 'the command line works on the shared stores, with or without nodes',
  'a full disk': 'MongoDB looks after its own disk',
  'system calls': 'what is synced to disk is a matter of the stores',
} as const;

/** Files that are not run in the cluster form. */
export const EMBEDDED_FILES = {
  backup: 'the command copies a data directory; servers have backups of their own, and the command says so',
  moving: 'it starts both forms itself, and moves from one to the other',
} as const;

/** For `test.skipIf` and `describe.skipIf`. */
export const embeddedOnly = (_reason: keyof typeof EMBEDDED_ONLY): boolean => isClusterForm;

/** The three processes of a server in the cluster form; requests go to the first one. */
export const CLUSTER_ROLES = ['http', 'policies,projections', 'processors,delivery'] as const;

export interface Backends<Store = Pick<FakeEventStoreDb, 'stop'>> {
  readonly eventStore: Store;
  readonly environment: Readonly<Record<string, string>>;
}

/** All tests share the log of a named server, and therefore its keys: one installation, also from run to run. */
const SHARED_DATABASE = 'tributary_test_stores';

/**
 * A log and a database for any number of nodes. The MongoDB server is the one in `TEST_MONGODB_URL`. If `EVENTSTORE_URL` names a server, all tests
 * use its log and one database.
 */
export const startBackends = async (mongo?: string): Promise<Backends> => {
  const { EVENTSTORE_URL: named, TEST_MONGODB_URL: shared } = process.env;
  if (!named || mongo !== undefined) return startFakeBackends(mongo ?? shared);
  if (!shared) throw new Error(NO_MONGO);
  return { eventStore: { stop: async () => undefined }, environment: environmentOf(named, withDatabase(shared, SHARED_DATABASE)) };
};

/** The same, with an event store that simulates faults. */
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
  // A busy machine makes no node look dead, and fewer leases are renewed.
  LEASE_TTL_MS: '20000',
});
