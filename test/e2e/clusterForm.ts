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

export interface Backends {
  readonly eventStore: FakeEventStoreDb;
  readonly environment: Readonly<Record<string, string>>;
}

/** A log and a database of their own, for any number of nodes. The MongoDB server is the one that `TEST_MONGODB_URL` names. */
export const startBackends = async (mongo = process.env.TEST_MONGODB_URL): Promise<Backends> => {
  if (!mongo) throw new Error('TEST_MONGODB_URL names no server: npm run test:cluster starts one');
  const eventStore = await startEventStoreDb();
  const environment = {
    EVENTSTORE_URL: eventStore.url,
    MONGODB_URL: withDatabase(mongo, `t${randomUUID().replaceAll('-', '')}`),
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    // Nobody is taken for dead because the machine is busy, and fewer leases are renewed.
    LEASE_TTL_MS: '20000',
  };
  return { eventStore, environment };
};
