import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.ts';
import { silentLogger } from '../../src/logger.ts';
import type { Documents } from '../../src/stores/documents.ts';
import { StoreUnavailable } from '../../src/stores/eventStore.ts';
import { openNodes } from '../../src/stores/leases/nodes.ts';
import { openLeases } from '../../src/stores/leases/openLeases.ts';
import { openMongo } from '../../src/stores/mongodb/connection.ts';
import { openMongoDocuments } from '../../src/stores/mongodb/documents.ts';
import { openMongoTopics } from '../../src/stores/mongodb/topics.ts';
import { TopicMissing, TopicSealed, type Topics } from '../../src/stores/topics.ts';
import { advancing, eventually } from '../eventually.ts';
import { anyMongo } from '../fakes/mongodb/anyMongo.ts';
import { oneNode } from '../fakes/oneNode.ts';
import { ManualClock } from '../manualClock.ts';
import { topicsContract } from './topics.ts';

const server = await anyMongo();

/** Advances the test's time while followers poll. */
const asking = (clock: ManualClock): Clock => ({ ...systemClock, now: () => clock.now(), monotonic: () => clock.monotonic() });

const TTL = 9_000;

/** A store of leases that refuses everything while `away` is set. */
const leasesOf = (documents: Documents, state: { readonly away: boolean }): Documents =>
  new Proxy(documents, {
    get: (target, member) => {
      const value = Reflect.get(target, member);
      if (typeof value === 'function' && state.away) return () => Promise.reject(new StoreUnavailable('away'));
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

const connect = async (url: string) => {
  const mongo = await openMongo({ url, logger: silentLogger });
  onTestFinished(() => mongo.close());
  return mongo;
};

describe.skipIf(!server.isHere)('topics on MongoDB', () => {
  topicsContract(async () => {
    const mongo = await connect(server.freshUrl());
    const clock = new ManualClock();
    return { topics: openMongoTopics({ mongo, nodes: oneNode(), clock: asking(clock) }), clock };
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
      return { mongo, clock, topics: openMongoTopics({ mongo, nodes: oneNode(), clock: asking(clock) }) };
    };
    const wholeOf = (topics: Topics, topic: string, frames: readonly string[]) =>
      topics.whole(
        topic,
        frames.map((frame) => Buffer.from(frame)),
        { streamId: 's' },
      );
    const stored = async (topics: Topics, topic: string, ...frames: string[]) => {
      const whole = wholeOf(topics, topic, frames);
      await whole?.stored?.();
      return whole?.manifest;
    };

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

    it('a topic over 64 KiB must be written in pieces, and one that is being written', async () => {
      const { topics } = await open(server.freshUrl());
      expect(wholeOf(topics, id(), ['x'.repeat(65_537)])).toBeNull();
      const topic = id();
      await topics.create(topic);
      expect(wholeOf(topics, topic, ['x'])).toBeNull();
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
      const state = { away: false };
      const stored = await openMongoDocuments({ mongo, prefix: 'views' });
      const deps = { documents: leasesOf(stored, state), clock: clockOf(clock), logger: silentLogger };
      const leases = await openLeases({ ...deps, holder: 'test', ttlMilliseconds: TTL });
      const nodes = await openNodes({ ...deps, leases, host: 'test' });
      const topics = openMongoTopics({ mongo, nodes, clock: deps.clock });
      const leaving = new AbortController();
      const joined = nodes.join([], leaving.signal);
      const leave = async () => {
        await topics.close();
        leaving.abort();
        await joined;
      };
      onTestFinished(async () => {
        await leave();
        await leases.close();
      });
      const id = await nodes.own();
      const count = (collection: string) => mongo.database.collection(collection).countDocuments();
      return { mongo, clock, state, stored, nodes, id, topics, leave, count };
    };
    type TestNode = Awaited<ReturnType<typeof node>>;
    /** Advances the time of nodes, and waits until those that can have renewed their leases. */
    const pass = async (milliseconds: number, nodes: readonly TestNode[], after: () => Promise<unknown> = async () => undefined) => {
      const renewals = async () =>
        ((await nodes[0]?.stored.find('heldLeases', { limit: 100 })) ?? []).reduce((sum, { body }) => sum + Number(body.renewals ?? 0), 0);
      for (let passed = 0; passed < milliseconds; passed += TTL / 3) {
        const before = await renewals();
        await Promise.all(nodes.map(({ clock }) => clock.advance(TTL / 3)));
        const expected = before + nodes.filter(({ state, nodes: { id } }) => !state.away && id !== null).length;
        await eventually(async () => (await renewals()) >= expected);
        await after();
      }
    };
    const nothingLeft = async () => undefined;
    const twoInTime = async () => {
      const url = server.freshUrl();
      const topic = randomUUID();
      const [a, b] = [await node(url, (clock) => clock), await node(url, (clock) => clock)];
      await a.topics.create(topic);
      await a.topics.append(topic, [text('one')]);
      return { a, b, topic };
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

    it('are resumed by either node in turn, and refuse what the other one still appends', async () => {
      const { a, b, topic } = await two();
      await a.topics.create(topic);
      await a.topics.append(topic, [text('one ')]);
      expect(await b.topics.resume(topic)).toEqual({ frames: 1, bytes: 4 });
      await expect(a.topics.append(topic, [text('late')])).rejects.toBeInstanceOf(TopicMissing);
      await b.topics.append(topic, [text('two ')]);
      expect(await a.topics.resume(topic)).toEqual({ frames: 2, bytes: 8 });
      await a.topics.append(topic, [text('three')]);
      expect(await a.topics.seal(topic)).toMatchObject({ frames: 3, bytes: 13 });
      expect(await texts(b.topics, topic)).toEqual(['one ', 'two ', 'three']);
      await expect(b.topics.resume(topic)).rejects.toBeInstanceOf(TopicSealed);
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
      const reader = openMongoTopics({ mongo: watched, nodes: oneNode(), clock: systemClock });
      onTestFinished(() => reader.close());
      let requests = 0;
      watched.database.client.on('commandStarted', ({ command }) => {
        if (command.find === 'frames') requests += 1;
      });
      expect(await texts(reader, topic)).toHaveLength(64);
      expect(requests).toBeLessThanOrEqual(8);
    });

    /** Follows a topic that is still empty; `sent` counts the frames that the server has sent. */
    const followed = async () => {
      const mongo = await connect(server.freshUrl('monitorCommands=true'));
      const topics = openMongoTopics({ mongo, nodes: oneNode(), clock: systemClock });
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
        for await (const _ of topics.read(topic, { follow: true })) counts.seen += 1;
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

    it('send each new frame to a follower once, however large', async () => {
      const { counts, append, end } = await followed();
      for (const number of [1, 2, 3]) {
        await append(100_000);
        await eventually(() => counts.seen === number);
      }
      await end();
      expect(counts.sent).toBe(3);
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
      await a.leave();
      expect(await listed(b.topics)).toEqual([]);
      expect(await b.nodes.remove(a.id, nothingLeft)).toBe(true);
      expect(await listed(b.topics)).toEqual([{ topic, sealed: false }]);
      expect(await b.topics.append(topic, [text('three')])).toBe(2);
      expect(await listed(b.topics)).toEqual([]);
      const { sha256, frames } = await b.topics.seal(topic);
      expect([sha256, frames]).toEqual([createHash('sha256').update('onetwothree').digest('hex'), 3]);
    });

    it('of a dead writer are abandoned once its node has been removed, not before, and deleted', async () => {
      const { a, b, topic } = await twoInTime();
      await pass(10 * TTL, [a, b], async () => {
        expect(await b.nodes.gone()).toEqual([]);
        expect(await b.topics.deleteAbandoned(topic)).toBe(false);
      });
      a.state.away = true;
      await pass(2 * TTL, [b], () => b.nodes.gone());
      expect((await b.nodes.gone()).map(({ id }) => id)).toEqual([a.id]);
      const ended = async () => {
        expect([await listed(b.topics), await b.topics.deleteAbandoned(topic)]).toEqual([[], false]);
      };
      expect(await b.nodes.remove(a.id, ended)).toBe(true);
      expect(await listed(b.topics)).toEqual([{ topic, sealed: false }]);
      expect(await b.topics.deleteAbandoned(topic)).toBe(true);
      expect(await b.topics.deleteAbandoned(topic)).toBe(false);
      expect([await b.count('frames'), await b.count('topics')]).toEqual([0, 0]);
      await expect(a.topics.append(topic, [text('late')])).rejects.toThrow(TopicMissing);
      expect([await b.count('frames'), await b.count('topics')]).toEqual([0, 0]);
    });

    it('belong to a node that was removed and has another id since, once it appends', async () => {
      const { a, b, topic } = await twoInTime();
      a.state.away = true;
      await pass(2 * TTL, [a, b], () => b.nodes.gone());
      expect(await b.nodes.remove(a.id, nothingLeft)).toBe(true);
      expect(await listed(b.topics)).toEqual([{ topic, sealed: false }]);
      a.state.away = false;
      await advancing(async () => {
        await a.clock.advance(TTL / 10);
        return a.nodes.id !== null;
      });
      expect(a.nodes.id).not.toBe(a.id);
      expect(await a.topics.append(topic, [text('two')])).toBe(1);
      expect([await listed(b.topics), await b.topics.deleteAbandoned(topic)]).toEqual([[], false]);
      expect(await a.topics.seal(topic)).toMatchObject({ frames: 2 });
      expect(await texts(b.topics, topic)).toEqual(['one', 'two']);
    });

    it('are kept by nodes of an earlier version, which delete open ones only', async () => {
      const b = await node(server.freshUrl());
      const [made, resumed] = [randomUUID(), randomUUID()];
      const records = b.mongo.database.collection<{ _id: string }>('topics');
      await b.topics.create(made);
      await records.insertOne({
        _id: resumed,
        generation: 'abc',
        previous: null,
        writer: 'earlier',
        state: 'open',
        manifest: null,
      } as never);
      await b.topics.append(resumed, [text('one')]);
      const own = { state: 'unsealed', writer: b.id };
      expect(await records.find().toArray()).toEqual([expect.objectContaining(own), expect.objectContaining(own)]);
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

    it('are not abandoned when the store does not answer for a minute', async () => {
      const { a, b, topic } = await twoInTime();
      const watch = async () => {
        for (const { nodes } of [a, b]) expect(await nodes.gone().catch(() => [])).toEqual([]);
      };
      await pass(3 * TTL, [a, b], watch);
      for (const { state } of [a, b]) state.away = true;
      await pass(6 * TTL, [a, b], watch);
      expect([a.nodes.id, b.nodes.id]).toEqual([null, null]);
      for (const { state } of [a, b]) state.away = false;
      await advancing(async () => {
        for (const { clock } of [a, b]) await clock.advance(TTL / 10);
        return a.nodes.id !== null && b.nodes.id !== null;
      });
      await pass(3 * TTL, [a, b], watch);
      expect([a.nodes.id, b.nodes.id]).toEqual([a.id, b.id]);
      expect([await listed(b.topics), await b.topics.deleteAbandoned(topic)]).toEqual([[], false]);
      await a.topics.append(topic, [text('two')]);
      expect(await a.topics.seal(topic)).toMatchObject({ frames: 2 });
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
