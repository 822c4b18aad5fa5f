import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { utimesSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { DAY_MILLISECONDS, systemClock } from '../../src/clock.ts';
import { silentLogger } from '../../src/logger.ts';
import { openEmbeddedDocuments } from '../../src/stores/embedded/documents.ts';
import { openEmbeddedTopics } from '../../src/stores/embedded/topics.ts';
import { StoreUnavailable } from '../../src/stores/eventStore.ts';
import { openMongo } from '../../src/stores/mongodb/connection.ts';
import { openMongoTopics } from '../../src/stores/mongodb/topics.ts';
import { ObjectBucket } from '../../src/stores/s3/bucket.ts';
import { BucketRefused, PutUnclear } from '../../src/stores/s3/bucketErrors.ts';
import { Deployment } from '../../src/stores/s3/deployment.ts';
import { bucketLocation } from '../../src/stores/s3/location.ts';
import { keyOf, pointerId } from '../../src/stores/s3/pointer.ts';
import { sweepObjects } from '../../src/stores/s3/sweep.ts';
import { ObjectTopics } from '../../src/stores/s3/topics.ts';
import { holdObjectSweep, usesObjectStorage } from '../../src/stores/s3/usesObjectStorage.ts';
import { TopicDamaged, TopicMissing, TopicSealed, type Topics } from '../../src/stores/topics.ts';
import { anyMongo } from '../fakes/mongodb/anyMongo.ts';
import { oneNode } from '../fakes/oneNode.ts';
import { S3_BUILD_TIMEOUT, S3_CREDENTIALS, s3IsHere, startS3, type TestS3 } from '../fakes/s3/start.ts';
import { ManualClock } from '../manualClock.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { documentsWriterInThread } from '../writersInThread.ts';
import { topicsContract } from './topics.ts';

const isHere = await s3IsHere();
const mongo = await anyMongo();
const LARGE = 200_000;
const HOUR = 3_600_000;

describe.skipIf(!isHere)('topics in object storage', () => {
  let s3: TestS3;
  beforeAll(async () => {
    Object.assign(process.env, S3_CREDENTIALS);
    s3 = await startS3();
  }, S3_BUILD_TIMEOUT);
  afterAll(() => s3.stop());

  const log = { end: 'position 5' as string | null };
  const store = { head: async () => log.end as never };

  /** One node of a deployment; `directory` holds its own stores. */
  const node = async ({
    directory = temporaryDirectory(),
    url = s3.topicsUrl(),
    movesFrom,
  }: {
    directory?: string;
    url?: string;
    movesFrom?: number;
  } = {}) => {
    const clock = new ManualClock();
    const bucket = new ObjectBucket(bucketLocation(url));
    const vault = await openEmbeddedDocuments({
      startWriter: documentsWriterInThread,
      file: join(directory, 'vault.db'),
      durability: 'FULL',
    });
    const deployment = new Deployment({ bucket, vault, store, clock: systemClock, logger: silentLogger });
    const local = await openEmbeddedTopics({ directory: join(directory, 'topics'), clock });
    const topics = new ObjectTopics({ local, bucket, deployment, ...(movesFrom !== undefined && { movesFrom }) });
    const close = async () => {
      await topics.close();
      await vault.close();
      bucket.close();
    };
    onTestFinished(close);
    return { directory, url, clock, bucket, vault, deployment, local, topics, close, objects: () => objectsOf(url) };
  };
  /** Keys of topics in the bucket. */
  const objectsOf = (url: string) => s3.objects(url).filter((path) => path.startsWith('tributary/topics/'));

  const bytes = async (topics: Topics, topic: string, after = -1): Promise<Buffer> => {
    const frames: Uint8Array[] = [];
    for await (const { data } of topics.read(topic, { after })) frames.push(data);
    return Buffer.concat(frames);
  };
  const pattern = (length: number): Buffer => Buffer.from(Uint8Array.from({ length }, (_, n) => (n * 7 + (n >> 8)) % 251));
  /** A sealed topic with these bytes in frames of 60,000. */
  const sealed = async (topics: Topics, content = pattern(LARGE), topic: string = randomUUID()): Promise<string> => {
    await topics.create(topic);
    for (let at = 0; at < content.length; at += 60_000) await topics.append(topic, [content.subarray(at, at + 60_000)]);
    await topics.seal(topic, { streamId: 's' });
    return topic;
  };

  describe('from the first byte', () => {
    topicsContract(async () => {
      const { topics, clock } = await node({ movesFrom: 0 });
      return { topics, clock };
    });
  });

  // The contracts of both are tested alone.
  it.skipIf(!mongo.isHere)('are followed, moved, read and deleted over MongoDB too', async () => {
    const { deployment, bucket, objects } = await node();
    const connection = await openMongo({ url: mongo.freshUrl(), logger: silentLogger });
    onTestFinished(() => connection.close());
    const local = openMongoTopics({ mongo: connection, nodes: oneNode(), clock: systemClock });
    const topics = new ObjectTopics({ local, bucket, deployment });
    onTestFinished(() => topics.close());
    const topic = randomUUID();
    await topics.create(topic);
    const reading = topics.read(topic, { follow: true })[Symbol.asyncIterator]();
    const first = reading.next();
    await topics.append(topic, [pattern(60_000), pattern(LARGE)]);
    expect((await first).value).toMatchObject({ sequence: 0, data: pattern(60_000) });
    const manifest = await topics.seal(topic, { streamId: 's' });
    expect((await reading.next()).value).toMatchObject({ sequence: 1 });
    expect((await reading.next()).done).toBe(true);
    expect([objects().length, await local.size(topic), await topics.manifest(topic)]).toEqual([1, null, manifest]);
    const content = Buffer.concat([pattern(60_000), pattern(LARGE)]);
    expect((await bytes(topics, topic)).equals(content)).toBe(true);
    const { after, byte } = await topics.seek(topic, 70_000);
    expect((await bytes(topics, topic, after)).equals(content.subarray(byte))).toBe(true);
    const listed: string[] = [];
    for await (const one of topics.list()) listed.push(one.topic);
    expect(listed).toEqual([topic]);
    await topics.delete(topic);
    expect([objects(), await topics.size(topic)]).toEqual([[], null]);
  });

  it('are those of 64 KiB and more; smaller ones stay', async () => {
    const { topics, local, objects } = await node();
    const small = await sealed(topics, pattern(65_535));
    expect([objects(), await local.size(small)]).toEqual([[], { frames: 2, bytes: 65_535 }]);
    const large = await sealed(topics, pattern(65_536));
    const sha256 = createHash('sha256').update(pattern(65_536)).digest('hex');
    expect([objects(), await local.size(large)]).toEqual([[`tributary/topics/${large}.${sha256}`], null]);
    expect(await topics.manifest(large)).toEqual({ frames: 2, bytes: 65_536, sha256, attributes: { streamId: 's' } });
    expect(await bytes(topics, large)).toEqual(pattern(65_536));
  });

  it('are read from any byte by ranges, without what is before it', async () => {
    const { topics, bucket } = await node();
    const content = pattern(3_000_000);
    const topic = await sealed(topics, content);
    const asked: number[] = [];
    const get = bucket.get.bind(bucket);
    bucket.get = (key, first, last) => {
      asked.push(first);
      return get(key, first, last);
    };
    const { after, byte } = await topics.seek(topic, 1_234_567);
    expect(1_234_567 - byte).toBeLessThan(60_000);
    expect(await bytes(topics, topic, after)).toEqual(content.subarray(byte));
    expect(asked[0]).toBe(byte);
  });

  it('are uploaded in parts from 16 MiB', async () => {
    const { topics, objects } = await node();
    const content = pattern(16 * 1_048_576 + 12_345);
    const topic = randomUUID();
    await topics.create(topic);
    for (let at = 0; at < content.length; at += 1_048_576) await topics.append(topic, [content.subarray(at, at + 1_048_576)]);
    await topics.seal(topic);
    expect((await bytes(topics, topic)).equals(content)).toBe(true);
    await topics.delete(topic);
    expect(objects()).toEqual([]);
  });

  it('are read by a follower that began before the move', async () => {
    const { topics } = await node();
    const topic = randomUUID();
    await topics.create(topic);
    const reading = topics.read(topic, { follow: true })[Symbol.asyncIterator]();
    const first = reading.next();
    await topics.append(topic, [pattern(60_000), pattern(60_000)]);
    await first;
    await topics.seal(topic);
    expect((await reading.next()).value).toMatchObject({ sequence: 1 });
    expect((await reading.next()).done).toBe(true);
  });

  it('whose objects have wrong bytes, too few, or none are reported as damaged', async () => {
    const { topics, url, objects } = await node();
    const topic = await sealed(topics);
    const path = s3.path(url, objects()[0] ?? '');
    writeFileSync(path, Buffer.alloc(LARGE, 1));
    await expect(bytes(topics, topic)).rejects.toThrow(TopicDamaged);
    writeFileSync(path, 'short');
    await expect(bytes(topics, topic)).rejects.toThrow(TopicDamaged);
    await topics.delete(await sealed(topics));
    expect(objects()).toHaveLength(1);
  });

  it('are found by a node that starts later', async () => {
    const first = await node();
    const topic = await sealed(first.topics);
    await first.close();
    const { topics } = await node(first);
    expect(await bytes(topics, topic)).toEqual(pattern(LARGE));
    await expect(topics.create(topic)).rejects.toThrow(TopicSealed);
    expect((await topics.seal(topic, { streamId: 's' })).bytes).toBe(LARGE);
    await expect(topics.seal(topic, { streamId: 'other' })).rejects.toThrow(TopicSealed);
  });

  describe('a move that is interrupted', () => {
    const leftovers = async ({ topics }: { topics: ObjectTopics }) => {
      for await (const _ of topics.list());
      await topics.moveLeftovers(new AbortController().signal);
    };

    it('before its object is durable is repeated', async () => {
      const here = await node();
      const topic = await sealed(here.local);
      expect(await bytes(here.topics, topic)).toEqual(pattern(LARGE));
      await leftovers(here);
      expect([await here.local.size(topic), here.objects().length]).toEqual([null, 1]);
      expect(await bytes(here.topics, topic)).toEqual(pattern(LARGE));
    });

    it('before its pointer is written is repeated, with the same object', async () => {
      const here = await node();
      const topic = await sealed(here.topics);
      await here.local.delete(pointerId(topic));
      await sealed(here.local, pattern(LARGE), topic);
      await leftovers(here);
      expect([await here.local.size(topic), here.objects().length]).toEqual([null, 1]);
      await here.topics.delete(topic);
      expect(here.objects()).toEqual([]);
    });

    it('before its local bytes are deleted loses these only', async () => {
      const here = await node();
      const topic = await sealed(here.topics);
      await sealed(here.local, pattern(LARGE), topic);
      await leftovers(here);
      expect(await here.local.size(topic)).toBeNull();
      expect(await bytes(here.topics, topic)).toEqual(pattern(LARGE));
    });

    it('keeps its local bytes if the pointer is of other ones', async () => {
      const here = await node();
      const topic = await sealed(here.topics);
      await sealed(here.local, pattern(LARGE + 1), topic);
      await expect(leftovers(here)).rejects.toThrow(StoreUnavailable);
      expect(await here.local.size(topic)).toEqual({ frames: 4, bytes: LARGE + 1 });
    });

    it('leaves no object when its topic is deleted, at any of these points', async () => {
      const here = await node();
      const [unmoved, unpointed, both] = [await sealed(here.local), await sealed(here.topics), await sealed(here.topics)];
      await here.local.delete(pointerId(unpointed));
      for (const topic of [unpointed, both]) await sealed(here.local, pattern(LARGE), topic);
      for (const topic of [unmoved, unpointed, both]) await here.topics.delete(topic);
      expect(here.objects()).toEqual([]);
      for await (const { topic } of here.local.list()) expect.fail(`${topic} is left`);
    });

    it('by a deletion on another node leaves nothing', async () => {
      const here = await node();
      const put = here.bucket.put.bind(here.bucket);
      const topic = randomUUID();
      here.bucket.put = async (...object) => {
        await put(...object);
        await here.local.delete(topic);
      };
      await expect(sealed(here.topics, pattern(LARGE), topic)).rejects.toThrow(TopicMissing);
      expect([here.objects(), await here.topics.size(topic)]).toEqual([[], null]);
    });
  });

  describe('while object storage is away', () => {
    it('cannot be sealed or read; smaller ones can, and nothing is lost', async () => {
      const { topics, objects } = await node();
      const before = await sealed(topics);
      const [waiting, small] = [randomUUID(), randomUUID()];
      await topics.create(waiting);
      await topics.append(waiting, [pattern(LARGE)]);
      await s3.kill();
      await expect(topics.seal(waiting)).rejects.toThrow(StoreUnavailable);
      await expect(bytes(topics, before)).rejects.toThrow(StoreUnavailable);
      await expect(topics.delete(before)).rejects.toThrow(StoreUnavailable);
      await sealed(topics, pattern(1_000), small);
      expect(await bytes(topics, small)).toEqual(pattern(1_000));
      expect(await topics.size(before)).toEqual({ frames: 4, bytes: LARGE });
      await s3.restart();
      expect(await topics.seal(waiting)).toMatchObject({ bytes: LARGE });
      expect([await bytes(topics, before), await bytes(topics, waiting)]).toEqual([pattern(LARGE), pattern(LARGE)]);
      expect(objects()).toHaveLength(2);
    });

    it('can be deleted if they have no object', async () => {
      const { topics, local, objects, deployment } = await node();
      await deployment.check();
      const topic = randomUUID();
      await topics.create(topic);
      await topics.append(topic, [pattern(LARGE)]);
      await s3.kill();
      await expect(topics.seal(topic)).rejects.toThrow(StoreUnavailable);
      await topics.delete(topic);
      await s3.restart();
      expect([await local.size(topic), objects()]).toEqual([null, []]);
    });

    it('and it was never seen, are not moved before the bucket is known to be theirs', async () => {
      const url = s3.topicsUrl();
      await (await node({ url })).deployment.check();
      const { topics, objects } = await node({ url });
      await expect(sealed(topics)).rejects.toThrow(BucketRefused);
      expect(objects()).toEqual([]);
    });
  });

  describe('an object that is put', () => {
    /** A bucket whose server answers so, one request after the other. */
    const answering = async (answer: (response: ServerResponse, request: number) => void): Promise<ObjectBucket> => {
      let requests = 0;
      const server = createServer((request, response) => {
        requests += 1;
        const n = requests;
        request.resume().once('end', () => answer(response, n));
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      const bucket = new ObjectBucket(bucketLocation(`s3://b/?endpoint=http://127.0.0.1:${port}&pathStyle=true`));
      onTestFinished(() => {
        bucket.close();
        server.closeAllConnections();
        server.close();
      });
      return bucket;
    };
    const put = (bucket: ObjectBucket, signal?: AbortSignal) =>
      bucket
        .put(
          'key',
          5,
          (async function* () {
            yield Buffer.from('bytes');
          })(),
          signal,
        )
        .then(
          () => 'stored',
          (error: unknown) => error,
        );
    const status = (code: number) => (response: ServerResponse) => void response.writeHead(code).end();

    it('is certainly not stored if the server refuses it', async () => {
      const error = await put(await answering(status(403)));
      expect([error instanceof StoreUnavailable, error instanceof PutUnclear]).toEqual([true, false]);
    });

    it('may be stored after an error of a proxy, also if a second attempt is refused', async () => {
      expect(await put(await answering(status(502)))).toBeInstanceOf(PutUnclear);
      expect(await put(await answering((response, n) => status(n === 1 ? 504 : 403)(response)))).toBeInstanceOf(PutUnclear);
    });

    it('is given up when its signal aborts, and may be stored', async () => {
      const stop = new AbortController();
      expect(await put(await answering(() => stop.abort()), stop.signal)).toMatchObject({
        name: 'PutUnclear',
        message: expect.stringContaining('AbortError'),
      });
    });
  });

  describe('a bucket', () => {
    it('is refused if its prefix belongs to another deployment; a prefix beside it is not', async () => {
      const { url, deployment } = await node();
      await deployment.check();
      await expect((await node({ url })).deployment.check()).rejects.toThrow('belongs to another deployment');
      await (await node({ url: s3.topicsUrl(new URL(url).host, 'other') })).deployment.check();
    });

    it('is not in use before it is known to belong to the deployment', async () => {
      const { url, deployment, vault } = await node();
      await deployment.check();
      const other = await node({ url });
      await expect(other.deployment.check()).rejects.toThrow(BucketRefused);
      expect([await usesObjectStorage(vault), await usesObjectStorage(other.vault)]).toEqual([true, false]);
    });

    it('is refused if it lacks the marker of a deployment that has used one', async () => {
      const { directory, deployment, close } = await node();
      await deployment.check();
      await close();
      await expect((await node({ directory, url: s3.topicsUrl() })).deployment.check()).rejects.toThrow('lacks tributary.json');
    });

    it('is refused if it keeps versions, does not exist, or refuses the credentials', async () => {
      const versioned = await node({ url: s3.topicsUrl(await s3.versionedBucket()) });
      await expect(versioned.deployment.check()).rejects.toThrow('versions');
      await expect((await node({ url: s3.topicsUrl('missing-bucket') })).deployment.check()).rejects.toThrow('does not exist');
      process.env.AWS_SECRET_ACCESS_KEY = 'wrong';
      onTestFinished(() => void Object.assign(process.env, S3_CREDENTIALS));
      await expect((await node()).deployment.check()).rejects.toThrow('AWS_SECRET_ACCESS_KEY');
    });
  });

  describe('objects without an owner', () => {
    const old = (url: string, path: string) => {
      const time = (Date.parse('2026-01-01T00:00:00Z') - 8 * DAY_MILLISECONDS) / 1_000;
      utimesSync(s3.path(url, path), time, time);
    };
    const sweep = (here: { bucket: ObjectBucket; topics: ObjectTopics; clock: ManualClock }) =>
      sweepObjects(here, new AbortController().signal);

    it('are deleted when they are older than seven days; owned, younger and foreign ones are not', async () => {
      const here = await node();
      await here.deployment.check();
      const [owned, moving] = [await sealed(here.topics), await sealed(here.topics)];
      await here.local.delete(pointerId(moving));
      await sealed(here.local, pattern(LARGE), moving);
      const orphan = (at: string) => keyOf({ topic: at, manifest: { frames: 1, bytes: 1, sha256: 'a'.repeat(64), attributes: {} } });
      for (const key of [orphan(randomUUID()), orphan(owned), 'topics/readme.txt']) await here.bucket.putText(key, 'x');
      for (const path of here.objects()) old(here.url, path);
      await here.bucket.putText(orphan(randomUUID()), 'x');
      here.clock.advance(HOUR);
      expect(await sweep(here)).toBe(2);
      expect(here.objects()).toHaveLength(4);
      expect(await bytes(here.topics, owned)).toEqual(pattern(LARGE));
    });

    it('are held when the log is older than the bucket, or the vault was restored, until an operator confirms', async () => {
      onTestFinished(() => void Object.assign(log, { end: 'position 5' }));
      const first = await node();
      const topic = await sealed(first.topics);
      await first.deployment.note();
      await first.close();
      log.end = 'position 4';
      const second = await node(first);
      expect(await second.deployment.isHeld(), 'before the log is known to be the same').toBe(true);
      await second.deployment.check();
      expect(await second.deployment.isHeld()).toBe(true);
      for await (const listed of second.topics.list()) expect.fail(`${listed.topic} may not be swept`);
      expect(await bytes(second.topics, topic)).toEqual(pattern(LARGE));
      await second.deployment.confirm();
      expect(await second.deployment.isHeld()).toBe(false);
      await holdObjectSweep(second.vault);
      expect(await second.deployment.isHeld()).toBe(true);
    });
  });
});
