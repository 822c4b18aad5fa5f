import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.ts';
import { HeldFrames } from '../../src/http/heldFrames.ts';
import { silentLogger } from '../../src/logger.ts';
import { openMongo } from '../../src/stores/mongodb/connection.ts';
import { openMongoTopics } from '../../src/stores/mongodb/topics.ts';
import { type FrameRoom, TopicMissing, TopicSealed, type Topics } from '../../src/stores/topics.ts';
import { eventually } from '../eventually.ts';
import { anyMongo } from '../fakes/mongodb/anyMongo.ts';
import { ManualClock } from '../manualClock.ts';
import { topicsContract } from './topics.ts';

const server = await anyMongo();

/** Advances the test's time while followers poll. */
const asking = (clock: ManualClock): Clock => ({ ...systemClock, now: () => clock.now(), monotonic: () => clock.monotonic() });

const connect = async (url: string) => {
  const mongo = await openMongo({ url, logger: silentLogger });
  onTestFinished(() => mongo.close());
  return mongo;
};

describe.skipIf(!server.isHere)('topics on MongoDB', () => {
  topicsContract(async () => {
    const mongo = await connect(server.freshUrl());
    const clock = new ManualClock();
    return { topics: await openMongoTopics({ mongo, clock: asking(clock), logger: silentLogger }), clock };
  });

  describe('stored whole', () => {
    const id = () => randomUUID();
    const readAll = async (topics: Topics, topic: string, after?: number) => {
      const found: { sequence: number; at: number; data: string }[] = [];
      for await (const { sequence, at, data } of topics.read(topic, after === undefined ? {} : { after }))
        found.push({ sequence, at, data: Buffer.from(data).toString() });
      return found;
    };
    const open = async (url: string) => {
      const mongo = await connect(url);
      const clock = new ManualClock();
      return { mongo, clock, topics: await openMongoTopics({ mongo, clock: asking(clock), logger: silentLogger }) };
    };
    const stored = (topics: Topics, topic: string, ...frames: string[]) =>
      topics.storeWhole?.(
        topic,
        frames.map((frame) => Buffer.from(frame)),
        { streamId: 's' },
      );

    it('a topic is sealed, and every node reads it', async () => {
      const url = server.freshUrl();
      const [here, there] = [await open(url), await open(url)];
      const topic = id();
      const manifest = await stored(here.topics, topic, 'one', 'two');
      const sha256 = createHash('sha256').update('onetwo').digest('hex');
      expect(manifest).toEqual({ frames: 2, bytes: 6, sha256, attributes: { streamId: 's' } });
      const frames = [
        { sequence: 0, at: here.clock.now(), data: 'one' },
        { sequence: 1, at: here.clock.now(), data: 'two' },
      ];
      for (const { topics } of [here, there]) {
        expect(await topics.manifest(topic)).toEqual(manifest);
        expect(await topics.size(topic)).toEqual({ frames: 2, bytes: 6 });
        expect(await readAll(topics, topic)).toEqual(frames);
        expect(await readAll(topics, topic, 0)).toEqual(frames.slice(1));
      }
      await here.clock.advance(60_000);
      expect(await readAll(here.topics, topic)).toEqual(frames);
    });

    it('a topic is gone once it was deleted, and leaves no frames', async () => {
      const { topics, mongo } = await open(server.freshUrl());
      const topic = id();
      await stored(topics, topic, 'one');
      await topics.delete(topic);
      expect(await topics.manifest(topic)).toBeNull();
      await expect(readAll(topics, topic)).rejects.toBeInstanceOf(TopicMissing);
      expect(await mongo.database.collection('topics').countDocuments()).toBe(0);
      expect(await mongo.database.collection('frames').countDocuments()).toBe(0);
    });

    it('a topic does not replace one with its id', async () => {
      const { topics } = await open(server.freshUrl());
      const topic = id();
      await stored(topics, topic, 'one');
      await expect(stored(topics, topic, 'two')).rejects.toBeInstanceOf(TopicSealed);
      expect(await readAll(topics, topic)).toMatchObject([{ data: 'one' }]);
      await expect(topics.create(topic)).rejects.toBeInstanceOf(TopicSealed);
    });

    it('a topic over 64 KiB is refused', async () => {
      const { topics } = await open(server.freshUrl());
      await expect(stored(topics, id(), 'x'.repeat(65_537))).rejects.toBeInstanceOf(RangeError);
    });
  });

  describe('between two nodes', () => {
    const text = (value: string): Uint8Array => Buffer.from(value);
    const texts = async (topics: Topics, topic: string, follow = false): Promise<string[]> => {
      const read: string[] = [];
      for await (const { data } of topics.read(topic, { follow })) read.push(Buffer.from(data).toString());
      return read;
    };
    const listed = async (topics: Topics) => {
      const found: { topic: string; sealed: boolean }[] = [];
      for await (const { topic, manifest } of topics.list()) found.push({ topic, sealed: manifest !== null });
      return found;
    };
    const node = async (url: string, clockOf: (clock: ManualClock) => Clock = asking) => {
      const mongo = await connect(url);
      const clock = new ManualClock();
      const topics = await openMongoTopics({ mongo, clock: clockOf(clock), logger: silentLogger });
      onTestFinished(() => topics.close());
      const count = (collection: string) => mongo.database.collection(collection).countDocuments();
      return { mongo, clock, topics, count };
    };
    const two = async () => {
      const url = server.freshUrl();
      return { a: await node(url), b: await node(url), topic: randomUUID() };
    };

    it('are followed to the end on one node while the other writes', async () => {
      const { a, b, topic } = await two();
      await a.topics.create(topic);
      const following = texts(b.topics, topic, true);
      for (let n = 0; n < 30; n += 1) await a.topics.append(topic, [text(`${n}`)]);
      expect(await b.topics.size(topic)).toEqual({ frames: 30, bytes: 50 });
      expect(await b.topics.manifest(topic)).toBeNull();
      const manifest = await a.topics.seal(topic, { n: 1 });
      expect(await following).toEqual(Array.from({ length: 30 }, (_, n) => `${n}`));
      expect(await b.topics.manifest(topic)).toEqual(manifest);
    });

    it('have a size at any length', async () => {
      const { a, b, topic } = await two();
      await a.topics.create(topic);
      for (let frames = 0; frames < 20; frames += 1) {
        expect(await b.topics.size(topic)).toEqual({ frames, bytes: 2 * frames });
        await a.topics.append(topic, [text('ab')]);
      }
    });

    it('are read with a few requests, however many frames they have', async () => {
      const url = server.freshUrl('monitorCommands=true');
      const writer = await node(url);
      const topic = randomUUID();
      await writer.topics.create(topic);
      await writer.topics.append(
        topic,
        Array.from({ length: 64 }, (_, n) => text(`${n}`)),
      );
      await writer.topics.seal(topic);
      const watched = await connect(url);
      const reader = await openMongoTopics({ mongo: watched, clock: systemClock, logger: silentLogger });
      onTestFinished(() => reader.close());
      let requests = 0;
      watched.database.client.on('commandStarted', ({ command }) => {
        if (command.find === 'frames') requests += 1;
      });
      expect(await texts(reader, topic)).toHaveLength(64);
      expect(requests).toBeLessThanOrEqual(8);
    });

    /** Follows a topic that is still empty; `sent` counts the frames that the server has sent. */
    const followed = async (room: FrameRoom) => {
      const mongo = await connect(server.freshUrl('monitorCommands=true'));
      const topics = await openMongoTopics({ mongo, clock: systemClock, logger: silentLogger });
      onTestFinished(() => topics.close());
      const topic = randomUUID();
      await topics.create(topic);
      const counts = { polls: 0, sent: 0, seen: 0 };
      mongo.database.client.on('commandSucceeded', (event) => {
        const { cursor } = event.reply as { cursor?: { ns: string; firstBatch: readonly unknown[] } };
        if (!cursor?.ns.endsWith('.frames')) return;
        counts.polls += 1;
        counts.sent += cursor.firstBatch.length;
      });
      const read = async () => {
        for await (const _ of topics.read(topic, { follow: true, room })) counts.seen += 1;
      };
      const done = read();
      done.catch(() => undefined);
      const append = async (bytes: number) => {
        const before = counts.polls;
        await eventually(() => counts.polls > before + 1);
        await topics.append(topic, [new Uint8Array(bytes)]);
      };
      const end = async () => {
        await topics.seal(topic);
        await done;
      };
      return { counts, append, end };
    };

    it('send each new frame to a follower once, however large, if there is room', async () => {
      const { counts, append, end } = await followed(new HeldFrames().roomOf('anna'));
      for (const number of [1, 2, 3]) {
        await append(100_000);
        await eventually(() => counts.seen === number);
      }
      await end();
      expect(counts.sent).toBe(3);
    });

    it('send a large frame again when there is room for it', async () => {
      const room = new HeldFrames({ perUser: 150_000, inTotal: 150_000 }).roomOf('anna');
      const free = await room.take(100_000);
      const { counts, append, end } = await followed(room);
      await append(100_000);
      await eventually(() => counts.sent === 1);
      expect(counts.seen).toBe(0);
      free();
      await end();
      expect(counts).toMatchObject({ sent: 2, seen: 1 });
    });

    it('that the other node restarts end their followers and writer, and exclude its late frames', async () => {
      const { a, b, topic } = await two();
      await a.topics.create(topic);
      await a.topics.append(topic, [text('old')]);
      const read = a.topics.read(topic, { follow: true })[Symbol.asyncIterator]();
      // Earlier it would follow the other's new frames.
      expect(Buffer.from((await read.next()).value.data).toString()).toBe('old');
      const following = read.next();
      following.catch(() => undefined);
      await b.topics.create(topic);
      await expect(following).rejects.toThrow(TopicMissing);
      await expect(a.topics.append(topic, [text('late')])).rejects.toThrow(TopicMissing);
      await b.topics.append(topic, [text('new')]);
      expect(await texts(b.topics, topic)).toEqual(['new']);
      await expect(a.topics.append(topic, [text('later')])).rejects.toThrow(TopicMissing);
      await expect(a.topics.seal(topic)).rejects.toThrow(TopicMissing);
      await b.topics.seal(topic);
      expect(await texts(a.topics, topic)).toEqual(['new']);
      expect(await b.count('frames')).toBe(1);
    });

    it('that the other node deleted refuse an append at once, and nothing of them is left', async () => {
      const { a, b, topic } = await two();
      await a.topics.create(topic);
      await a.topics.append(topic, [text('one')]);
      await b.topics.delete(topic);
      await expect(a.topics.append(topic, [text('late')])).rejects.toThrow(TopicMissing);
      await expect(a.topics.seal(topic)).rejects.toThrow(TopicMissing);
      expect([await b.count('frames'), await b.count('topics')]).toEqual([0, 0]);
      expect(await listed(b.topics)).toEqual([]);
    });

    it('are resumed at their end after their writer has closed', async () => {
      const { a, b, topic } = await two();
      await a.topics.create(topic);
      await a.topics.append(topic, [text('one'), text('two')]);
      await a.topics.close();
      expect(await listed(b.topics)).toEqual([{ topic, sealed: false }]);
      expect(await b.topics.append(topic, [text('three')])).toBe(2);
      expect(await listed(b.topics)).toEqual([]);
      const { sha256, frames } = await b.topics.seal(topic);
      expect([sha256, frames]).toEqual([createHash('sha256').update('onetwothree').digest('hex'), 3]);
    });

    it('of a dead writer are abandoned after 30 s of silence, and deleted', async () => {
      const url = server.freshUrl();
      const [a, b] = [await node(url, (clock) => clock), await node(url, (clock) => clock)];
      const topic = randomUUID();
      await a.topics.create(topic);
      await a.topics.append(topic, [text('one')]);
      const beats = async () => (await b.mongo.database.collection('nodes').find().toArray()).reduce((sum, { beats: n }) => sum + n, 0);
      for (let passed = 0; passed < 100_000; passed += 10_000) {
        const before = await beats();
        await Promise.all([a.clock.advance(10_000), b.clock.advance(10_000)]);
        // Waits for the next beats.
        await eventually(async () => (await beats()) >= before + 2 && a.clock.sleeping > 0 && b.clock.sleeping > 0);
        expect(await b.topics.deleteAbandoned(topic)).toBe(false);
      }
      await a.mongo.close();
      await listed(b.topics);
      /** Only time between looks counts. */
      const watch = async (milliseconds: number) => {
        for (let passed = 0; passed < milliseconds; passed += 1_000) {
          await b.clock.advance(1_000);
          await listed(b.topics);
        }
      };
      await watch(29_000);
      expect([await listed(b.topics), await b.topics.deleteAbandoned(topic)]).toEqual([[], false]);
      await watch(4_000);
      expect(await listed(b.topics)).toEqual([{ topic, sealed: false }]);
      expect(await b.topics.deleteAbandoned(topic)).toBe(true);
      expect(await b.topics.deleteAbandoned(topic)).toBe(false);
      expect([await b.count('frames'), await b.count('topics')]).toEqual([0, 0]);
    });

    it("show the other node's changes even where an earlier writer still exists", async () => {
      const { a, b, topic } = await two();
      await a.topics.create(topic);
      await a.topics.append(topic, [text('cut off')]);
      await b.topics.create(topic);
      await b.topics.append(topic, [text('new')]);
      expect([await a.topics.size(topic), await a.topics.manifest(topic)]).toEqual([{ frames: 1, bytes: 3 }, null]);
      const manifest = await b.topics.seal(topic);
      expect([await a.topics.size(topic), await a.topics.manifest(topic)]).toEqual([{ frames: 1, bytes: 3 }, manifest]);
    });

    it('that both nodes write in turn lose at most the append that detects the other node', async () => {
      const { a, b, topic } = await two();
      await a.topics.create(topic);
      await a.topics.append(topic, [text('one')]);
      await b.topics.append(topic, [text('two')]);
      await expect(a.topics.append(topic, [text('lost')])).rejects.toThrow(TopicMissing);
      expect(await a.topics.append(topic, [text('three')])).toBe(2);
      expect(await texts(b.topics, topic)).toEqual(['one', 'two', 'three']);
    });

    it('are judged by the time of the look if the process was paused during it', async () => {
      const url = server.freshUrl();
      const [a, mongo, clock, topic] = [await node(url), await connect(url), new ManualClock(), randomUUID()];
      let pauses = false;
      const paused = async <T>(answer: T): Promise<T> => {
        if (pauses) await clock.advance(40_000);
        return answer;
      };
      const collection = (name: string) => {
        const real = mongo.database.collection(name);
        if (name === 'nodes')
          real.find = () => ({ toArray: async () => paused(await mongo.database.collection(name).find().toArray()) }) as never;
        return real;
      };
      const slow = { ...mongo, database: { collection } as unknown as typeof mongo.database };
      const topics = await openMongoTopics({ mongo: slow, clock: asking(clock), logger: silentLogger });
      onTestFinished(() => topics.close());
      await a.topics.create(topic);
      await a.topics.append(topic, [text('one')]);
      expect(await listed(topics)).toEqual([]);
      pauses = true;
      expect(await topics.deleteAbandoned(topic)).toBe(false);
      await a.topics.seal(topic);
    });

    it('are not abandoned when the store does not answer for a minute', async () => {
      const url = server.freshUrl();
      const store = { away: false };
      const stalling = async () => {
        const mongo = await connect(url);
        const collection = (name: string) => {
          const real = mongo.database.collection(name);
          if (name !== 'nodes') return real;
          return new Proxy(real, {
            get: (target, member) => {
              const value: unknown = Reflect.get(target, member);
              if (typeof value !== 'function') return value;
              return (...given: unknown[]) => {
                if (store.away) throw new Error('away');
                return value.apply(target, given);
              };
            },
          });
        };
        const clock = new ManualClock();
        const database = { collection } as unknown as typeof mongo.database;
        const topics = await openMongoTopics({ mongo: { ...mongo, database }, clock, logger: silentLogger });
        onTestFinished(() => topics.close());
        return { topics, clock };
      };
      const nodes = [await stalling(), await stalling()];
      const [writer, watcher] = nodes as [(typeof nodes)[0], (typeof nodes)[0]];
      const topic = randomUUID();
      await writer.topics.create(topic);
      const pass = async (milliseconds: number) => {
        for (let passed = 0; passed < milliseconds; passed += 3_000) {
          for (const { clock } of nodes) await clock.advance(3_000);
          if (!store.away) for (const { topics } of nodes) await listed(topics);
        }
      };
      await pass(27_000);
      store.away = true;
      await pass(60_000);
      store.away = false;
      expect(await watcher.topics.deleteAbandoned(topic)).toBe(false);
      expect(await listed(watcher.topics)).toEqual([]);
      await writer.topics.append(topic, [text('one')]);
      expect(await writer.topics.seal(topic)).toMatchObject({ frames: 1 });
    });

    it('are deleted by the next list if their deletion was interrupted', async () => {
      const { a, b, topic } = await two();
      await a.topics.create(topic);
      await a.topics.append(
        topic,
        Array.from({ length: 10 }, () => text('x')),
      );
      await a.topics.seal(topic);
      const { database } = a.mongo;
      await database.collection<{ _id: string }>('topics').updateOne({ _id: topic }, { $set: { state: 'deleting' } });
      const frames = await database.collection<{ _id: string }>('frames').find().toArray();
      await database.collection<{ _id: string }>('frames').deleteMany({ _id: { $in: frames.map(({ _id }) => _id).slice(5) } });
      await expect(texts(b.topics, topic)).rejects.toThrow(TopicMissing);
      expect(await b.topics.size(topic)).toBeNull();
      expect(await listed(b.topics)).toEqual([]);
      expect([await b.count('frames'), await b.count('topics')]).toEqual([0, 0]);
    });
  });
});
