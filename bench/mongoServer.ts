import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { withDatabase } from '../test/fakes/mongodb/databaseUrl.ts';
import { startMongo } from '../test/fakes/mongodb/start.ts';

/** Runs a bench on a database of its own: at the servers of `MONGODB_URL`, else on the FerretDB of the tests. Skips it, and says so, where neither can be had. */
export const withMongo = async (bench: string, run: (url: string, product: string) => Promise<void>): Promise<void> => {
  const real = process.env.MONGODB_URL;
  const name = `bench-${randomUUID()}`;
  if (real) {
    await run(withDatabase(real, name), 'MongoDB');
    const client = new MongoClient(real);
    await client.db(name).dropDatabase();
    return client.close();
  }
  const server = await startMongo().catch(() => null);
  if (!server) return console.log(`${bench}: skipped, needs Go or MONGODB_URL`);
  try {
    await run(`${server.url}${name}`, 'FerretDB');
  } finally {
    await server.stop();
  }
};
