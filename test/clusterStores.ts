import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { startMongo } from './fakes/mongodb/start.ts';

/** In memory if there is such a folder: every write is synced, and the tests do not test the disk. */
const MEMORY = '/dev/shm';

/**
 * One MongoDB for all test files of the run, with a database for each: the servers in `MONGODB_URL`, or a FerretDB. Workers find its address in
 * `TEST_MONGODB_URL`.
 */
export default async function start(): Promise<() => Promise<void>> {
  const { MONGODB_URL: named } = process.env;
  if (named) {
    process.env.TEST_MONGODB_URL = named;
    return () => dropTestDatabases(named);
  }
  const directory = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'tributary-mongodb-'));
  const mongo = await startMongo({ directory });
  process.env.TEST_MONGODB_URL = mongo.url;
  return async () => {
    await mongo.stop();
    rmSync(directory, { recursive: true, force: true });
  };
}

/** Names of `startBackends`. */
const TEST_DATABASE = /^t[0-9a-f]{32}/;

const dropTestDatabases = async (url: string): Promise<void> => {
  const client = new MongoClient(url);
  try {
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
    for (const { name } of databases) if (TEST_DATABASE.test(name)) await client.db(name).dropDatabase();
  } finally {
    await client.close();
  }
};
