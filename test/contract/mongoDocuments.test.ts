import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { JsonObject } from '../../src/json.ts';
import { silentLogger } from '../../src/logger.ts';
import type { Documents, DocumentWrite } from '../../src/stores/documents.ts';
import type { Position } from '../../src/stores/eventStore.ts';
import { openKeys } from '../../src/stores/keys/openKeys.ts';
import { openMongo } from '../../src/stores/mongodb/connection.ts';
import { openMongoDocuments } from '../../src/stores/mongodb/documents.ts';
import { anyMongo } from '../fakes/mongodb/anyMongo.ts';
import { documentsContract } from './documents.ts';
import { leasesContract } from './leases.ts';

const server = await anyMongo();

const connect = async (url: string) => {
  const mongo = await openMongo({ url, logger: silentLogger });
  onTestFinished(() => mongo.close());
  return mongo;
};
const open = async (url: string, prefix = 'views') => openMongoDocuments({ mongo: await connect(url), prefix });

const at = (position: number): Position => String(position).padStart(20, '0') as Position;
const checkpoint = (position: number) => ({ name: 'projection/items@1', position: at(position), epoch: 1 });

describe.skipIf(!server.isHere)('documents on MongoDB', () => {
  documentsContract(() => open(server.freshUrl()));

  const items = async (url = server.freshUrl()) => {
    const documents = await open(url);
    await documents.ensureCollection({ name: 'items', indexes: [['owner', 'made'], ['made']] });
    return documents;
  };

  it('give back any JSON as it went in, whatever its members are called', async () => {
    const documents = await items();
    const hostile = fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('$set', 'a.b', '__proto__', '_id', '', '\0')), fc.jsonValue(), {
      maxKeys: 5,
    });
    let n = 0;
    await fc.assert(
      fc.asyncProperty(hostile, async (given) => {
        const body: JsonObject = JSON.parse(JSON.stringify(given));
        n += 1;
        await documents.create('items', `d${n}`, body);
        expect((await documents.get('items', `d${n}`))?.body).toStrictEqual(body);
      }),
      { numRuns: 60, examples: [[{ lone: '\ud800', deep: JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`) }]] },
    );
  });

  it('hold the newest of each, whatever batches come again, late or from two writers at once', async () => {
    const histories = fc.array(fc.record({ id: fc.integer({ min: 0, max: 5 }), deleted: fc.boolean() }), { minLength: 1, maxLength: 30 });
    // Batches of the history, any of them any number of times, in any order; each by one writer or by both at once.
    const replays = fc.array(fc.record({ from: fc.nat(29), count: fc.integer({ min: 1, max: 12 }), both: fc.boolean() }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(histories, replays, async (history, replayed) => {
        const url = server.freshUrl();
        const writers = [await items(url), await items(url)];
        const written = history.map(
          ({ id, deleted }, n): DocumentWrite => ({ id: `d${id}`, position: at(n), body: deleted ? null : { made: n } }),
        );
        const batches = [...replayed, { from: 0, count: history.length, both: true }, ...replayed];
        for (const [n, { from, count, both }] of batches.entries()) {
          const batch = written.slice(from, from + count);
          const by = both ? writers : writers.slice(n % 2, (n % 2) + 1);
          await Promise.all(by.map((documents) => documents.writeBatch('items', batch, checkpoint(history.length))));
        }
        const newest = new Map(written.map((write) => [write.id, write]));
        const expected = [...newest.values()].filter(({ body }) => body !== null).sort((a, b) => a.id.localeCompare(b.id));
        expect(await writers[0]?.find('items', { limit: 100 })).toEqual(expected);
      }),
      { numRuns: 12 },
    );
  });

  it('settle who was first when two nodes make the same documents at the same moment', async () => {
    const url = server.freshUrl();
    const writers: Documents[] = [await items(url), await items(url), await items(url)];
    for (let position = 0; position < 100; position += 20) {
      const batch = Array.from({ length: 20 }, (_, n) => ({ id: `d${position + n}`, position: at(position), body: { made: position } }));
      // From both ends, so that they meet.
      const orders = [batch, batch.toReversed(), batch];
      await Promise.all(writers.map((documents, n) => documents.writeBatch('items', orders[n] ?? [], checkpoint(position))));
    }
    expect(await writers[0]?.count('items')).toBe(100);
  });

  it('of several kinds lie side by side in a database', async () => {
    const url = server.freshUrl();
    const [views, vault] = [await open(url, 'views'), await open(url, 'vault')];
    for (const documents of [views, vault]) await documents.ensureCollection({ name: 'items', indexes: [] });
    await vault.create('items', 'a', {});
    expect(await views.get('items', 'a')).toBeNull();
    await views.dropCollection('items');
    expect(await vault.listCollections('')).toEqual(['items']);
    expect(await views.listCollections('')).toEqual([]);
  });

  it('are found by an index that came after them', async () => {
    const documents = await open(server.freshUrl());
    await documents.ensureCollection({ name: 'items', indexes: [] });
    await documents.writeBatch('items', [{ id: 'a', position: at(1), body: { owner: 'u', made: 1 } }], checkpoint(1));
    await documents.ensureCollection({ name: 'items', indexes: [['owner', 'made']] });
    expect(await documents.find('items', { where: { owner: 'u' }, limit: 1 })).toHaveLength(1);
  });

  it('hold the keys of all nodes: one vault, nothing in it readable without the master key', async () => {
    const mongo = await connect(server.freshUrl());
    const masterKey = Buffer.alloc(32, 7);
    const node = async () => openKeys({ vault: await openMongoDocuments({ mongo, prefix: 'vault' }), masterKey, clock: systemClock });
    const [a, b] = [await node(), await node()];
    const keys = await Promise.all([a, b].map((node) => node.subjectKey('somebody', { create: true })));
    expect(keys[0]?.equals(keys[1] ?? Buffer.alloc(0))).toBe(true);
    for (const { name } of await mongo.database.listCollections().toArray()) {
      const stored = JSON.stringify(await mongo.database.collection(name).find().toArray());
      for (const encoding of ['base64', 'base64url', 'hex'] as const) expect(stored).not.toContain(keys[0]?.toString(encoding));
    }
    const wrong = openKeys({
      vault: await openMongoDocuments({ mongo, prefix: 'vault' }),
      masterKey: Buffer.alloc(32, 8),
      clock: systemClock,
    });
    await expect(wrong).rejects.toThrow('another master key');
  });
});

describe.skipIf(!server.isHere)('leases on MongoDB', () => {
  // One connection, so that what was asked for first is done first.
  leasesContract(() => open(server.freshUrl('maxPoolSize=1')));
});
