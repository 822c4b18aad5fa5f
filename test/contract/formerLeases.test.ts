import { describe, expect, it, onTestFinished } from 'vitest';
import { type Logger, silentLogger } from '../../src/logger.ts';
import { openMongo } from '../../src/stores/mongodb/connection.ts';
import { openMongoDocuments } from '../../src/stores/mongodb/documents.ts';
import { replaceFormerLeases } from '../../src/stores/mongodb/formerLeases.ts';
import { advancing } from '../eventually.ts';
import { anyMongo } from '../fakes/mongodb/anyMongo.ts';
import { ManualClock } from '../manualClock.ts';

const server = await anyMongo();

const TTL = 10_000;
const INDEXES = [['name', 'epoch'], ['released']];

/** A database, a node of this version that starts on it, and one of the version before: its leases, written and read as that version did. */
const nodes = async () => {
  const clock = new ManualClock();
  let isWaiting = false;
  const logger: Logger = {
    ...silentLogger,
    info: () => {
      isWaiting = true;
    },
  };
  const mongo = await openMongo({ url: server.freshUrl(), logger, clock });
  onTestFinished(() => mongo.close());
  const documents = await openMongoDocuments({ mongo, prefix: 'views' });
  const lease = (epoch: number, renewals: number, released = false) => ({
    ...{ name: 'node/5d7c8d5e', epoch, holder: 'former-host pid 12', renewals },
    ...{ releasedAt: released ? 1 : null, released },
  });
  return {
    /** The wait passes while `meanwhile` runs. */
    start: async (meanwhile: () => Promise<unknown> = async () => undefined) => {
      let isOver = false;
      isWaiting = false;
      const starting = replaceFormerLeases(mongo, TTL).finally(() => {
        isOver = true;
      });
      starting.catch(() => undefined);
      await advancing(async () => {
        if (isWaiting) await meanwhile();
        await clock.advance(TTL / 3);
        return isOver;
      });
      return starting;
    },
    former: {
      open: async () => {
        await documents.ensureCollection({ name: 'leases', indexes: INDEXES });
        await documents.create('leases', '(floor)#1', { name: '(floor)', epoch: 1, released: null });
      },
      take: (epoch: number) => documents.create('leases', `node/5d7c8d5e#${epoch}`, lease(epoch, 0)),
      renew: (epoch: number, renewals: number) => documents.replace('leases', `node/5d7c8d5e#${epoch}`, lease(epoch, renewals)),
      release: (epoch: number) => documents.replace('leases', `node/5d7c8d5e#${epoch}`, lease(epoch, 3, true)),
      /** Its first reading at the start, and the one before it takes a lease. */
      lookUp: (name: string) => documents.find('leases', { where: { name: ['(floor)', name] }, limit: 10_000 }),
    },
  };
};

describe.skipIf(!server.isHere)('a node that starts where the version before has kept its leases', () => {
  it('refuses to start while a node of that version is alive, which continues', async () => {
    const { start, former } = await nodes();
    await former.open();
    await former.take(7);
    let renewals = 0;
    const refused = start(async () => {
      renewals += 1;
      await former.renew(7, renewals);
    });
    await expect(refused).rejects.toThrow('A node of an earlier version is running (former-host pid 12). Stop all nodes of that version');
    expect(await former.lookUp('node/5d7c8d5e')).toHaveLength(2);
  });

  it('refuses to start if a node of that version takes a lease meanwhile', async () => {
    const { start, former } = await nodes();
    await former.open();
    await former.take(7);
    await expect(start(() => former.take(8))).rejects.toThrow('former-host pid 12');
  });

  it('starts at once when the nodes of that version have stopped, and after the ttl when they were killed', async () => {
    for (const killed of [false, true]) {
      const { start, former } = await nodes();
      await former.open();
      await former.take(7);
      if (!killed) await former.release(7);
      await start();
    }
  });

  it('leaves a record at which a node of that version stops, when it starts and before it takes a lease', async () => {
    for (const first of [true, false]) {
      const { start, former } = await nodes();
      if (!first) await former.open();
      await start();
      if (first) await former.open();
      for (const name of ['(floor)', 'node/5d7c8d5e', 'run/1/2'])
        await expect(former.lookUp(name)).rejects.toThrow('"a newer version runs" is not valid JSON');
    }
  });

  it('starts again beside others of its version without a wait', async () => {
    const { start, former } = await nodes();
    await former.open();
    await start();
    await former.take(7);
    await start(async () => former.renew(7, 1));
  });
});
