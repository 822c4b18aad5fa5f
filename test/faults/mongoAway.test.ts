import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { type Logger, silentLogger } from '../../src/logger.ts';
import { openClusterStores } from '../../src/stores/clusterStores.ts';
import type { Documents, DocumentWrite } from '../../src/stores/documents.ts';
import { type Position, StoreUnavailable } from '../../src/stores/eventStore.ts';
import { openMongo } from '../../src/stores/mongodb/connection.ts';
import { openMongoDocuments } from '../../src/stores/mongodb/documents.ts';
import { reach } from '../../src/stores/mongodb/failures.ts';
import { openMongoTopics } from '../../src/stores/mongodb/topics.ts';
import { eventually } from '../eventually.ts';
import { CERTIFICATE, PRIVATE_KEY } from '../fakes/certificate.ts';
import { startEventStoreDb } from '../fakes/eventStoreDb/startEventStoreDb.ts';
import { type FaultyMongo, faultyMongoIsHere, speaksPlainly, startFaultyMongo } from '../fakes/mongodb/faultyMongo.ts';
import { openReplicaSet } from '../fakes/mongodb/replicaSet.ts';
import { MONGO_BUILD_TIMEOUT } from '../fakes/mongodb/start.ts';
import { oneNode } from '../fakes/oneNode.ts';
import { openTcpProxy } from '../fakes/tcpProxy.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { recovered } from './recovery.ts';

const IMPATIENT = {
  serverSelectionTimeoutMS: '400',
  connectTimeoutMS: '300',
  socketTimeoutMS: '400',
  waitQueueTimeoutMS: '400',
  heartbeatFrequencyMS: '500',
};
const IN_SET = { replicaSet: 'rs', heartbeatFrequencyMS: '500' };

const at = (position: number): Position => String(position).padStart(20, '0') as Position;
const checkpoint = (position: number) => ({ name: 'projection/items@1', position: at(position), epoch: 1 });
/** The twenty documents of event `position`. */
const batch = (position: number): DocumentWrite[] =>
  Array.from({ length: 20 }, (_, n) => ({ id: `d${n}`, position: at(position), body: n === position % 20 ? null : { position } }));

describe.skipIf(!(await faultyMongoIsHere()))('a failing MongoDB', () => {
  let server: FaultyMongo;

  beforeAll(async () => {
    server = await startFaultyMongo();
  }, MONGO_BUILD_TIMEOUT);
  afterAll(() => server.stop());

  const connect = async (url: string, logger: Logger = silentLogger) => {
    const mongo = await openMongo({ url, logger });
    onTestFinished(() => mongo.close());
    return mongo;
  };
  const documentsOn = async (url: string): Promise<Documents> => {
    const documents = await openMongoDocuments({ mongo: await connect(url), prefix: 'views' });
    await documents.ensureCollection({ name: 'items', indexes: [['position']] });
    return documents;
  };
  const behindProxy = async () => {
    const proxy = await openTcpProxy({ port: server.port });
    onTestFinished(() => proxy.close());
    return { proxy, url: server.freshUrl(IMPATIENT, proxy.port) };
  };
  /** Repeats like every caller. All failures must be the port's. */
  const untilDone = async (attempt: () => Promise<unknown>, onFailure = () => {}): Promise<void> => {
    for (;;) {
      try {
        await attempt();
        return;
      } catch (error) {
        expect(error).toBeInstanceOf(StoreUnavailable);
        onFailure();
        await systemClock.pause(20);
      }
    }
  };
  const expectBatch = async (documents: Documents, position: number) => {
    const found = await documents.find('items', { limit: 100 });
    const expected = batch(position).filter(({ body }) => body !== null);
    expect(found.sort((a, b) => a.id.localeCompare(b.id))).toEqual(expected.sort((a, b) => a.id.localeCompare(b.id)));
    expect(await documents.readCheckpoint(checkpoint(0).name)).toEqual(checkpoint(position));
  };

  it('is connected again if the driver waits for ever for the answer to a heartbeat', async () => {
    const proxy = await openTcpProxy({ port: server.port });
    onTestFinished(() => proxy.close());
    const warned: string[] = [];
    const url = server.freshUrl({ ...IMPATIENT, heartbeatFrequencyMS: '2000' }, proxy.port);
    const { database } = await connect(url, { ...silentLogger, warn: (_: object, message: string) => void warned.push(message) });
    const ping = () => reach(database.command({ ping: 1 }));
    await ping();
    await once(database.client, 'serverHeartbeatSucceeded');
    // The driver asks for heartbeats at most every 500 ms.
    await systemClock.pause(600);
    // Its monitor has the oldest connection. The failed command asks for a heartbeat just after the socket of that connection has been destroyed.
    const again = ping().catch(ping);
    proxy.end();
    await expect(again).rejects.toBeInstanceOf(StoreUnavailable);
    await eventually(() => expect(warned).toEqual(['MongoDB has not answered a heartbeat in time; connecting again']));
    await untilDone(ping);
  });

  describe('with documents', () => {
    it('completes a repeated batch that a kill interrupted', async () => {
      const documents = await documentsOn(server.freshUrl(IMPATIENT));
      let failures = 0;
      let over = false;
      const killing = (async () => {
        for (let kill = 0; kill < 3; kill += 1) {
          await systemClock.pause(150 + 50 * kill);
          const before = failures;
          await server.kill();
          await eventually(() => failures > before);
          await server.restart();
        }
        over = true;
      })();
      let last = 0;
      while (!over) {
        last += 1;
        await untilDone(
          () => documents.writeBatch('items', batch(last), checkpoint(last)),
          () => {
            failures += 1;
          },
        );
      }
      await killing;
      await expectBatch(documents, last);
    });

    it('is soon reported as StoreUnavailable if silent, and continues afterwards', async () => {
      const { proxy, url } = await behindProxy();
      const documents = await documentsOn(url);
      await documents.writeBatch('items', batch(1), checkpoint(1));
      await proxy.become('hold');
      const began = performance.now();
      const calls = [
        documents.get('items', 'd1'),
        documents.find('items', { limit: 5 }),
        documents.create('items', 'new', {}),
        documents.writeBatch('items', batch(2), checkpoint(2)),
      ];
      for (const call of await Promise.allSettled(calls))
        expect(call).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
      expect(performance.now() - began).toBeLessThan(5_000);
      await proxy.become('pass');
      await recovered('a MongoDB that is silent', () => untilDone(() => documents.writeBatch('items', batch(3), checkpoint(3))));
      await untilDone(() => documents.remove('items', 'new'));
      await expectBatch(documents, 3);
    });

    it('never reports an id as taken or created if the connection broke', async () => {
      const { proxy, url } = await behindProxy();
      const documents = await documentsOn(url);
      for (let n = 0; n < 20; n += 1) {
        const made = documents.create('items', `id${n}`, { n }).catch((error: unknown) => error);
        await proxy.become(n % 2 === 0 ? 'drop' : 'refuse');
        await proxy.become('pass');
        const outcome = await made;
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(StoreUnavailable);
        else expect(outcome).toBe(true);
        const there = await eventually(async () => ({ document: await documents.get('items', `id${n}`) }));
        if (outcome === true) expect(there.document?.body).toEqual({ n });
      }
    });

    it.skipIf(!speaksPlainly)('may take longer to build an index than for any other answer', async () => {
      const set = await openReplicaSet({ port: server.port }, 1_000);
      onTestFinished(() => set.close());
      const documents = await documentsOn(server.freshUrl({ ...IN_SET, socketTimeoutMS: '2000' }, set.port));
      set.slowDown('createIndexes', 4_000);
      await documents.ensureCollection({ name: 'items', indexes: [['position'], ['other']] });
      expect(await documents.find('items', { where: { other: 'x' }, limit: 1 })).toEqual([]);
    });

    it.skipIf(!speaksPlainly)('may step down during a batch without an error if another primary is elected in time', async () => {
      const set = await openReplicaSet({ port: server.port }, 4);
      onTestFinished(() => set.close());
      const documents = await documentsOn(server.freshUrl(IN_SET, set.port));
      await documents.writeBatch('items', batch(1), checkpoint(1));
      set.stepDownAt('update', 3);
      const writing = documents.writeBatch('items', batch(2), checkpoint(2));
      await eventually(() => set.refused > 0);
      set.stepUp();
      await writing;
      await expectBatch(documents, 2);
    });

    it.skipIf(!speaksPlainly)(
      'is StoreUnavailable if it steps down during a batch without successor, and the checkpoint stays',
      async () => {
        const set = await openReplicaSet({ port: server.port }, 4);
        onTestFinished(() => set.close());
        const documents = await documentsOn(server.freshUrl({ ...IN_SET, ...IMPATIENT }, set.port));
        await documents.writeBatch('items', batch(1), checkpoint(1));
        set.stepDownAt('update', 3);
        await expect(documents.writeBatch('items', batch(2), checkpoint(2))).rejects.toThrow(StoreUnavailable);
        set.stepUp();
        const half = await recovered('a MongoDB without a primary', () => eventually(() => documents.find('items', { limit: 100 })));
        expect(new Set(half.map(({ position }) => position))).toEqual(new Set([at(1), at(2)]));
        expect(await documents.readCheckpoint(checkpoint(0).name)).toEqual(checkpoint(1));
        await untilDone(() => documents.writeBatch('items', batch(2), checkpoint(2)));
        await expectBatch(documents, 2);
      },
    );
  });

  describe.skipIf(!speaksPlainly)('as a replica set', () => {
    const setOf = async () => {
      const set = await openReplicaSet({ port: server.port }, 1_000);
      onTestFinished(() => set.close());
      const url = server.freshUrl(IN_SET, set.port);
      return { set, documents: await documentsOn(url), mongo: await connect(url) };
    };
    const refusal = (code: number) => ({ code, codeName: `Code${code}`, errmsg: `refused with ${code}` });

    it('is asked for majority reads and writes, and answers before the connection times out', async () => {
      const { set, documents } = await setOf();
      await documents.getMany('items', ['a']);
      await documents.create('items', 'a', {});
      expect(set.sent('find').at(-1)?.readConcern).toEqual({ level: 'majority' });
      expect(set.sent('insert').at(-1)?.writeConcern).toEqual({ w: 'majority', j: true, wtimeout: 8_000 });
    });

    it('answers leases while other work holds all connections', async () => {
      const { set, documents } = await setOf();
      const eventStore = await startEventStoreDb();
      onTestFinished(() => eventStore.stop());
      const stores = await openClusterStores({
        eventstoreUrl: eventStore.url,
        eventstoreTimeoutMs: 5_000,
        mongodbUrl: server.freshUrl({ ...IN_SET, maxPoolSize: '1', waitQueueTimeoutMS: '100' }, set.port),
        masterKey: Buffer.alloc(32, 7).toString('base64'),
        leaseTtlMs: 10_000,
        dataDir: temporaryDirectory(),
        clock: systemClock,
        logger: silentLogger,
      });
      onTestFinished(() => stores.close());
      for (const one of [stores.documents, documents]) await one.ensureCollection({ name: 'items', indexes: [] });
      set.slowDown('aggregate', 2_000);
      const slow = stores.documents.count('items');
      await eventually(() => set.sent('aggregate').length > 0);
      await expect(stores.documents.get('items', 'a')).rejects.toThrow(StoreUnavailable);
      expect(await stores.leases.tryAcquire('x')).not.toBeNull();
      await slow;
    });

    it('builds indexes while a member is down, all of a new collection in one command', async () => {
      const { set, documents } = await setOf();
      const before = set.sent('createIndexes').length;
      await documents.ensureCollection({ name: 'others', indexes: [['owner', 'made'], ['made']] });
      const builds = set.sent('createIndexes').slice(before);
      expect(builds).toMatchObject([{ commitQuorum: 'majority' }]);
      expect(builds[0]?.indexes).toHaveLength(3);
    });

    it.each([9, 40_415])('builds indexes without commitQuorum if it does not know the option (code %i)', async (code) => {
      const { set, documents } = await setOf();
      set.refuse('createIndexes', refusal(code), 'commitQuorum');
      await documents.ensureCollection({ name: 'others', indexes: [['owner', 'made'], ['made']] });
      expect(await documents.find('others', { where: { owner: 'u' }, limit: 1 })).toEqual([]);
      expect(set.sent('createIndexes').at(-1)).not.toHaveProperty('commitQuorum');
    });

    it('creates and drops indexes, and drops collections, across a change of the primary', async () => {
      const { set, documents } = await setOf();
      const through = async (command: string, work: () => Promise<unknown>) => {
        const before = set.refused;
        set.stepDownAt(command, 1);
        const working = work();
        await eventually(() => set.refused > before);
        set.stepUp();
        await working;
      };
      await through('createIndexes', () => documents.ensureCollection({ name: 'items', indexes: [['position'], ['other']] }));
      await through('dropIndexes', () => documents.ensureCollection({ name: 'items', indexes: [['position']] }));
      await through('drop', () => documents.dropCollection('items'));
      expect(await documents.listCollections('')).toEqual([]);
    });

    it('is waited for during the longest election', async () => {
      const { mongo } = await setOf();
      expect(mongo.database.client.options.serverSelectionTimeoutMS).toBeGreaterThan(12_000);
    });

    it.each([85, 86])("declares a collection even if an operator's index conflicts (code %i)", async (code) => {
      const { set, documents } = await setOf();
      set.refuse('createIndexes', refusal(code));
      await documents.ensureCollection({ name: 'items', indexes: [['position'], ['other']] });
      expect(await documents.find('items', { where: { other: 'x' }, limit: 1 })).toEqual([]);
    });

    it('is not reported as away if a page needs too much memory', async () => {
      const { set, documents } = await setOf();
      set.refuse('find', refusal(292));
      const failure = await documents.find('items', { limit: 1 }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(Error);
      expect(failure).not.toBeInstanceOf(StoreUnavailable);
    });

    it('is not ready at a secondary, whatever directConnection says', async () => {
      const { set } = await setOf();
      set.stepDown();
      const url = server.freshUrl({ directConnection: 'true', ...IMPATIENT }, set.port);
      const warned: string[] = [];
      const opening = connect(url, { ...silentLogger, warn: (fields: object) => void warned.push(JSON.stringify(fields)) });
      await eventually(() => expect(warned.join()).toContain('secondary'));
      set.stepUp();
      const mongo = await opening;
      await mongo.database.command({ ping: 1 });
    });
  });

  it.skipIf(!speaksPlainly)('stores everything once if answers are lost after the write, and no false answer is given', async () => {
    const set = await openReplicaSet({ port: server.port }, 1_000);
    onTestFinished(() => set.close());
    // FerretDB does not recognise a retried write: the driver must not send one.
    const url = server.freshUrl({ directConnection: 'true', retryWrites: 'false', ...IMPATIENT }, set.port);
    const documents = await documentsOn(url);
    set.loseAnswerTo('insert');
    await expect(documents.create('items', 'made', {})).rejects.toThrow(StoreUnavailable);
    await untilDone(async () => expect(await documents.create('items', 'made', {})).toBe(false));
    await documents.remove('items', 'made');
    set.loseAnswerTo('update');
    await expect(documents.writeBatch('items', batch(1), checkpoint(1))).rejects.toThrow(StoreUnavailable);
    await untilDone(() => documents.writeBatch('items', batch(1), checkpoint(1)));
    await expectBatch(documents, 1);

    const topics = openMongoTopics({ mongo: await connect(url), nodes: oneNode(), clock: systemClock });
    onTestFinished(() => topics.close());
    const topic = randomUUID();
    await topics.create(topic);
    set.loseAnswerTo('insert');
    expect(await topics.append(topic, [Buffer.from('one'), Buffer.from('two')])).toBe(1);
    set.loseAnswerTo('update');
    expect(await topics.seal(topic, { n: 1 })).toMatchObject({ frames: 2, bytes: 6 });
    const read: string[] = [];
    for await (const { data } of topics.read(topic)) read.push(Buffer.from(data).toString());
    expect(read).toEqual(['one', 'two']);
  });

  describe('at the start', () => {
    it('is waited for, with a line in the log, and then used', async () => {
      const { proxy, url } = await behindProxy();
      await proxy.become('refuse');
      const warned: string[] = [];
      const logger = { ...silentLogger, warn: (_: object, message: string) => void warned.push(message) };
      const opening = connect(url, logger);
      await eventually(() => warned.length > 0);
      await proxy.become('pass');
      const mongo = await opening;
      await mongo.database.command({ ping: 1 });
      expect(warned).toEqual(['waiting for MongoDB']);
    });

    it('is not waited for once the signal aborts', async () => {
      const { proxy, url } = await behindProxy();
      await proxy.become('drop');
      const stop = new AbortController();
      const opening = openMongo({ url, logger: { ...silentLogger, warn: () => stop.abort(new Error('enough')) }, signal: stop.signal });
      await expect(opening).rejects.toThrow('enough');
    });

    it('refuses wrong credentials at once, without showing them', async () => {
      const url = server.freshUrl().replace(/\/\/(?:[^@/]*@)?/, '//user:geheim@');
      const refusal = await openMongo({ url, logger: silentLogger }).catch((error: unknown) => error);
      expect(String(refusal)).toContain('refuses the name and password');
      expect(String(refusal)).not.toContain('geheim');
    });

    it.skipIf(!speaksPlainly).each([
      [13, 'asks for credentials'],
      [18, 'refuses the name and password'],
      [8_000, 'refuses the name and password'],
    ])('fails at the start if a read is answered with code %i, with a sentence that names the setting', async (code, words) => {
      const set = await openReplicaSet({ port: server.port }, 1_000);
      onTestFinished(() => set.close());
      set.refuse('find', { code, codeName: 'Refused', errmsg: 'refused' });
      const opening = openMongo({ url: server.freshUrl({ directConnection: 'true' }, set.port), logger: silentLogger });
      await expect(opening).rejects.toThrow(words);
      await expect(opening).rejects.toThrow('MONGODB_URL');
    });

    it.skipIf(!speaksPlainly)('fails with a sentence that names the setting if TLS does not match', async () => {
      const secure = createTlsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (socket) => {
        const upstream = connectTcp(server.port, '127.0.0.1');
        socket.pipe(upstream).pipe(socket);
        for (const one of [socket, upstream]) one.on('error', () => undefined);
      });
      secure.listen(0, '127.0.0.1');
      await once(secure, 'listening');
      onTestFinished(() => void secure.close());
      const { port } = secure.address() as AddressInfo;
      const opening = (at: number, options: Readonly<Record<string, string>>) =>
        openMongo({ url: server.freshUrl(options, at), logger: silentLogger });
      await expect(opening(port, { tls: 'true' })).rejects.toThrow('tlsCAFile in MONGODB_URL');
      await expect(opening(port, {})).rejects.toThrow('expects TLS. Add tls=true to MONGODB_URL');
      await expect(opening(server.port, { tls: 'true' })).rejects.toThrow('does not speak TLS');
      const mongo = await opening(port, { tls: 'true', tlsAllowInvalidCertificates: 'true' });
      await mongo.database.command({ ping: 1 });
      await mongo.close();
    });

    it.skipIf(!speaksPlainly)('a bad certificate of one member does not end it while another member is away', async () => {
      const listenSecurely = async (port: number): Promise<number> => {
        const secure = createTlsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (socket) => socket.on('error', () => undefined));
        secure.listen(port, '127.0.0.1');
        await once(secure, 'listening');
        onTestFinished(() => void secure.close());
        return (secure.address() as AddressInfo).port;
      };
      const bad = await listenSecurely(0);
      const away = await openTcpProxy({ host: '127.0.0.1', port: bad });
      await away.become('refuse');
      onTestFinished(() => away.close());
      const warned: string[] = [];
      const logger = { ...silentLogger, warn: (_: object, message: string) => void warned.push(message) };
      const url = `mongodb://127.0.0.1:${bad},127.0.0.1:${away.port}/x?replicaSet=rs&tls=true&serverSelectionTimeoutMS=1500`;
      const opening = openMongo({ url, logger }).then(
        () => 'it opened',
        (error: unknown) => String(error),
      );
      await eventually(() => warned.length > 0);
      expect(await Promise.race([opening, Promise.resolve('still waiting')])).toBe('still waiting');
      await away.become('pass');
      expect(await opening).toContain('tlsCAFile in MONGODB_URL');
    });

    it('refuses an invalid connection string without showing its password', async () => {
      for (const url of [
        'mongodb://user:geheim@/x',
        'mongodb://user:geheim@host:port:port/x',
        'mongodb://user:ge@heim@host/?w=1&w=2&rubbish=%',
      ]) {
        const refusal = await openMongo({ url, logger: silentLogger }).catch((error: unknown) => error);
        expect(refusal).toBeInstanceOf(Error);
        expect(String(refusal)).toContain('connection string');
        expect(String(refusal)).not.toContain('heim');
      }
    });
  });

  describe('with topics', () => {
    const topicsOn = async (url: string) => {
      const topics = openMongoTopics({ mongo: await connect(url), nodes: oneNode(), clock: systemClock });
      onTestFinished(() => topics.close());
      return topics;
    };

    it('neither loses nor repeats frames if killed under a writer and a follower on two nodes', async () => {
      const url = server.freshUrl(IMPATIENT);
      const [writer, reader] = [await topicsOn(url), await topicsOn(url)];
      const topic = randomUUID();
      await writer.create(topic);
      const read = createHash('sha256');
      const following = (async () => {
        let next = 0;
        for await (const { sequence, data } of reader.read(topic, { follow: true })) {
          expect(sequence).toBe(next);
          next += 1;
          read.update(data);
        }
        return next;
      })();
      const wrote = createHash('sha256');
      for (let n = 0; n < 60; n += 1) {
        const data = Buffer.from(`frame ${n} `.repeat(1 + (n % 7) * 500));
        wrote.update(data);
        const appending = writer.append(topic, [data]);
        if (n % 20 === 10) {
          await server.kill();
          await recovered('a MongoDB killed and started again under a writer', async () => {
            await server.restart();
            await appending;
          });
        }
        expect(await appending).toBe(n);
      }
      const manifest = await writer.seal(topic);
      expect(await following).toBe(60);
      const sha256 = wrote.digest('hex');
      expect([manifest.sha256, read.digest('hex')]).toEqual([sha256, sha256]);
    });
  });
});
