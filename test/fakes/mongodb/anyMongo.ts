import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll } from 'vitest';
import { withDatabase } from './databaseUrl.ts';
import { goIsHere, MONGO_BUILD_TIMEOUT, startMongo } from './start.ts';

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

const startContainer = async (): Promise<Server> => {
  const { GenericContainer } = await import('testcontainers');
  const container = await new GenericContainer('mongo:7').withExposedPorts(27_017).start();
  return {
    url: `mongodb://${container.getHost()}:${container.getMappedPort(27_017)}/`,
    stop: async () => {
      await container.stop();
    },
  };
};

const dockerIsHere = async (): Promise<boolean> => {
  const { getContainerRuntimeClient } = await import('testcontainers');
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
};

/** How a server is available here: the one in MONGODB_URL, FerretDB, or `mongo:7` in Docker. `null`, with a message, for none. */
const wayToStart = async (): Promise<(() => Promise<Server>) | null> => {
  const { MONGODB_URL: url, CI } = process.env;
  if (url) return async () => ({ url, stop: async () => {} });
  if (await goIsHere()) return () => startMongo();
  if (await dockerIsHere()) return startContainer;
  if (CI === 'true') throw new Error('CI needs Go, Docker or MONGODB_URL');
  console.warn('skipped: needs Go (or MONGODB_URL)');
  return null;
};

export interface TestMongo {
  /** Whether a server is available: `describe.skipIf(!mongo.isHere)`. */
  readonly isHere: boolean;
  /** A connection string with a fresh database. `options` such as `maxPoolSize=1`. */
  freshUrl(options?: string): string;
}

/** One server for the tests of a file, of any available kind. Call it at the top of the file. */
export const anyMongo = async (): Promise<TestMongo> => {
  const start = await wayToStart();
  const names: string[] = [];
  let server: Server | undefined;
  if (start) {
    beforeAll(async () => {
      server = await start();
    }, MONGO_BUILD_TIMEOUT);
    afterAll(async () => {
      if (!server) return;
      const client = new MongoClient(server.url);
      for (const name of names) await client.db(name).dropDatabase();
      await client.close();
      await server.stop();
    });
  }
  return {
    isHere: start !== null,
    freshUrl(options) {
      if (!server) throw new Error('the server starts in beforeAll');
      const name = `test-${randomUUID()}`;
      names.push(name);
      return withDatabase(server.url, name, Object.fromEntries(new URLSearchParams(options)));
    },
  };
};
