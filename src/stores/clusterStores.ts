import { readdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { ClosingOrder } from './closingOrder.ts';
import { DISK_ELSEWHERE } from './diskSpace.ts';
import { loadMasterKey } from './keys/masterKey.ts';
import { openNodes } from './leases/nodes.ts';
import { openLeases } from './leases/openLeases.ts';
import type { Stores } from './stores.ts';

export interface ClusterStoresOptions {
  readonly eventstoreUrl: string;
  readonly eventstoreTimeoutMs: number;
  readonly mongodbUrl: string;
  readonly leaseTtlMs: number;
  /** The setting `MASTER_KEY`: the same on every node. */
  readonly masterKey: string | null;
  /** Folder for files of running engines. Its content is not needed after a restart. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Leases have connections of their own, so that they are renewed even if the others are busy. */
const LEASE_CONNECTIONS = 4;

/**
 * Opens EventStoreDB and MongoDB, which other processes use too. Waits for a server that is away and logs the wait. Rejects with a sentence if the
 * settings can never work. Only this file loads the drivers.
 */
export const openClusterStores = async (options: ClusterStoresOptions): Promise<Stores> => {
  const { eventstoreUrl, eventstoreTimeoutMs: timeoutMilliseconds, mongodbUrl, dataDir, clock, logger } = options;
  const ttlMilliseconds = options.leaseTtlMs;
  const masterKey = loadMasterKey({ setting: options.masterKey ?? undefined, dataDir, create: false });
  const [{ openEventStoreDb }, { openMongo }, { openMongoDocuments }, { replaceFormerLeases }, { openMongoTopics }] = await Promise.all([
    import('./eventstoredb/eventStore.ts'),
    import('./mongodb/connection.ts'),
    import('./mongodb/documents.ts'),
    import('./mongodb/formerLeases.ts'),
    import('./mongodb/topics.ts'),
  ]);
  const closing = new ClosingOrder();
  try {
    const mongo = await openMongo({ url: mongodbUrl, logger, clock });
    closing.add(() => mongo.close());
    const store = await openEventStoreDb({ url: eventstoreUrl, clock, logger, timeoutMilliseconds });
    closing.add(() => store.close());
    const documents = await openMongoDocuments({ mongo, prefix: 'views' });
    closing.add(() => documents.close());
    const forLeases = await openMongo({ url: mongodbUrl, logger, clock, connections: LEASE_CONNECTIONS });
    closing.add(() => forLeases.close());
    await replaceFormerLeases(forLeases, ttlMilliseconds);
    const leaseDocuments = await openMongoDocuments({ mongo: forLeases, prefix: 'views' });
    closing.add(() => leaseDocuments.close());
    const holder = `${hostname()} pid ${process.pid}`;
    const leases = await openLeases({ documents: leaseDocuments, clock, holder, ttlMilliseconds, logger });
    closing.add(() => leases.close());
    const nodes = await openNodes({ documents: leaseDocuments, leases, clock, logger, host: hostname() });
    const vault = await openMongoDocuments({ mongo, prefix: 'vault' });
    closing.add(() => vault.close());
    const topics = openMongoTopics({ mongo, nodes, clock });
    closing.add(() => topics.close());
    const own = { exclusive: false, workDirectory: ownDirectory(dataDir), close: () => closing.run() };
    return { store, documents, leases, nodes, vault, topics, objectStorage: null, disk: DISK_ELSEWHERE, masterKey, ...own };
  } catch (error) {
    await closing.run();
    throw error;
  }
};

/** Several nodes of one machine may share a DATA_DIR: each has a folder there and removes those of dead nodes. */
const ownDirectory = (dataDir: string): string => {
  const parent = join(dataDir, 'work');
  const ours = `${hostname()}-`;
  for (const name of namesIn(parent)) {
    if (name.startsWith(ours) && !isRunning(Number(name.slice(ours.length)))) rmSync(join(parent, name), { recursive: true, force: true });
  }
  return join(parent, `${ours}${process.pid}`);
};

const namesIn = (directory: string): string[] => {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
};

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};
