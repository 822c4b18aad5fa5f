import { MongoClient, MongoNetworkTimeoutError } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { databaseName, type FakeMongo, fakeMongoIsHere, MONGO_BUILD_TIMEOUT, startMongo } from '../fakes/mongodb/start.ts';

describe.skipIf(!(await fakeMongoIsHere()))('the MongoDB of the tests', () => {
  let server: FakeMongo;
  let client: MongoClient;

  beforeAll(async () => {
    server = await startMongo();
    client = new MongoClient(server.url, { serverSelectionTimeoutMS: 2_000, connectTimeoutMS: 500, socketTimeoutMS: 500 });
  }, MONGO_BUILD_TIMEOUT);
  afterAll(async () => {
    await client.close();
    await server.stop();
  });

  it('keeps everything it had answered when it was killed, under the same address', async () => {
    const things = client.db(databaseName()).collection<{ _id: number }>('things');
    await things.insertOne({ _id: 1 });
    await server.kill();
    await expect(things.insertOne({ _id: 2 })).rejects.toThrow();
    await server.restart();
    expect(await eventually(() => things.find().toArray())).toEqual([{ _id: 1 }]);
  });

  it('accepts several bulks of two hundred replacements at once', async () => {
    const patient = new MongoClient(server.url);
    try {
      const things = patient.db(databaseName()).collection<{ _id: string; turn: number }>('things');
      const ids = Array.from({ length: 200 }, (_, n) => `thing ${n}`);
      await things.insertMany(ids.map((_id) => ({ _id, turn: 0 })));
      const bulk = (turn: number) => things.bulkWrite(ids.map((_id) => ({ replaceOne: { filter: { _id }, replacement: { turn } } })));
      const ended = await Promise.all([1, 2, 3].map(bulk));
      expect(ended.map(({ matchedCount }) => matchedCount)).toEqual([200, 200, 200]);
    } finally {
      await patient.close();
    }
  });

  it('can be silent for a while', async () => {
    const things = client.db(databaseName()).collection<{ _id: number }>('things');
    await things.insertOne({ _id: 1 });
    server.pause();
    // A signal takes its time to arrive.
    const failure = await eventually(() =>
      client
        .db()
        .command({ ping: 1 })
        .then(
          () => undefined,
          (error: unknown) => error ?? false,
        ),
    );
    expect(failure).toBeInstanceOf(MongoNetworkTimeoutError);
    server.resume();
    expect(await eventually(() => things.find().toArray())).toEqual([{ _id: 1 }]);
  });
});
