import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMongo } from './fakes/mongodb/start.ts';

/** In memory where there is such a folder: every write is synced, and the tests are not about the disk. */
const MEMORY = '/dev/shm';

/** One MongoDB for all test files of the run, which name databases of their own. Its address reaches the workers in `TEST_MONGODB_URL`. */
export default async function start(): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'tributary-mongodb-'));
  const mongo = await startMongo({ directory });
  process.env.TEST_MONGODB_URL = mongo.url;
  return async () => {
    await mongo.stop();
    rmSync(directory, { recursive: true, force: true });
  };
}
