import { createHash, randomUUID } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openEmbeddedEventStore } from '../../src/stores/embedded/eventStore.ts';
import { openEmbeddedTopics } from '../../src/stores/embedded/topics.ts';
import { StoreUnavailable } from '../../src/stores/eventStore.ts';
import { TopicDamaged, TopicMissing, TopicSealed, type Topics } from '../../src/stores/topics.ts';
import { ManualClock } from '../manualClock.ts';
import { smallDisk } from '../smallDisk.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { topicsContract } from './topics.ts';

describe('embedded topics', () => {
  topicsContract(async () => {
    const clock = new ManualClock();
    return { topics: await openEmbeddedTopics({ directory: temporaryDirectory(), clock }), clock };
  });

  const open = async (directory: string) => {
    const topics = await openEmbeddedTopics({ directory, clock: new ManualClock() });
    onTestFinished(() => topics.close());
    return topics;
  };
  const texts = async (topics: Topics, topic: string, follow = false) => {
    const values: string[] = [];
    for await (const { data } of topics.read(topic, { follow })) values.push(Buffer.from(data).toString());
    return values;
  };
  /** A topic with frames `one`, `two`, `three`, left unsealed by a process that has ended. */
  const leftover = async () => {
    const directory = temporaryDirectory();
    const topic = randomUUID();
    const topics = await openEmbeddedTopics({ directory, clock: new ManualClock() });
    await topics.create(topic);
    for (const value of ['one', 'two', 'three']) await topics.append(topic, [Buffer.from(value)]);
    await topics.close();
    return { directory, topic, file: join(directory, topic.slice(0, 2), topic) };
  };

  it('can be read after reopening', async () => {
    const directory = temporaryDirectory();
    const topic = randomUUID();
    const first = await openEmbeddedTopics({ directory, clock: new ManualClock() });
    await first.create(topic);
    await first.append(topic, [Buffer.from('kept')]);
    const manifest = await first.seal(topic, { long: 'x'.repeat(100_000) });
    await first.close();
    const second = await open(directory);
    expect(await second.manifest(topic)).toEqual(manifest);
    expect(await texts(second, topic, true)).toEqual(['kept']);
    expect(await second.seal(topic, manifest.attributes)).toEqual(manifest);
    const file = join(directory, topic.slice(0, 2), topic);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('are abandoned and removed once their process is gone, unless they are recreated meanwhile', async () => {
    const { directory, topic } = await leftover();
    const topics = await open(directory);
    const listed = async () => {
      const found: unknown[] = [];
      for await (const entry of topics.list()) found.push(entry);
      return found;
    };
    expect(await listed()).toEqual([{ topic, manifest: null }]);
    const removed = topics.deleteAbandoned(topic);
    const created = topics.create(topic);
    expect(await removed).toBe(true);
    await created;
    expect(await listed()).toEqual([]);
    expect(await topics.deleteAbandoned(topic)).toBe(false);
    await topics.append(topic, [Buffer.from('new')]);
    expect(await texts(topics, topic)).toEqual(['new']);
  });

  it('detect a torn tail of any length and continue after the last whole frame', async () => {
    const { directory, topic, file } = await leftover();
    const whole = readFileSync(file);
    const topics = await open(directory);
    for (let size = whole.length - 1; size >= 0; size -= 7) {
      writeFileSync(file, whole);
      truncateSync(file, size);
      const before = await texts(topics, topic);
      expect(['one', 'two', 'three'].slice(0, before.length)).toEqual(before);
      expect(before.length).toBeLessThan(3);
      await topics.append(topic, [Buffer.from('next')]);
      expect(await texts(topics, topic)).toEqual([...before, 'next']);
      const { sha256, frames } = await topics.seal(topic);
      expect({ sha256, frames }).toEqual({
        sha256: createHash('sha256')
          .update([...before, 'next'].join(''))
          .digest('hex'),
        frames: before.length + 1,
      });
      await topics.delete(topic);
    }
  });

  it('ignore garbage and zeros after the last frame', async () => {
    for (const tail of [Buffer.alloc(500), Buffer.from('x'.repeat(500))]) {
      const { directory, topic, file } = await leftover();
      appendFileSync(file, tail);
      const topics = await open(directory);
      expect(await texts(topics, topic)).toEqual(['one', 'two', 'three']);
      expect(await topics.size(topic)).toEqual({ frames: 3, bytes: 11 });
    }
  });

  it('do not mistake uploaded bytes that look like a seal for one', async () => {
    const sealed = await (async () => {
      const directory = temporaryDirectory();
      const topics = await open(directory);
      const topic = randomUUID();
      await topics.create(topic);
      await topics.seal(topic);
      return readFileSync(join(directory, topic.slice(0, 2), topic));
    })();
    const directory = temporaryDirectory();
    const topic = randomUUID();
    const topics = await openEmbeddedTopics({ directory, clock: new ManualClock() });
    await topics.create(topic);
    await topics.append(topic, [sealed]);
    await topics.close();
    expect(await (await open(directory)).manifest(topic)).toBeNull();
  });

  it('report a damaged sealed topic', async () => {
    const directory = temporaryDirectory();
    const topic = randomUUID();
    const written = await open(directory);
    await written.create(topic);
    await written.append(topic, [Buffer.from('first'), Buffer.from('SECOND')]);
    await written.seal(topic);
    const file = join(directory, topic.slice(0, 2), topic);
    const bytes = readFileSync(file);
    bytes[bytes.indexOf('SECOND')] = 0;
    writeFileSync(file, bytes);
    // Recently sealed topics are cached and not read from their file.
    const topics = await open(directory);
    for (const follow of [false, true]) await expect(texts(topics, topic, follow)).rejects.toThrow(/damaged after frame 0/);
    await expect(texts(topics, topic)).rejects.toThrow(TopicDamaged);
  });

  it('answer StoreUnavailable while the disk is full, and continue afterwards with the appended frames', async ({ skip }) => {
    const disk = smallDisk(4) ?? skip('no file system can be mounted here');
    const topics = await open(join(disk.directory, 'topics'));
    const topic = randomUUID();
    await topics.create(topic);
    await topics.append(topic, [Buffer.from('kept')]);
    disk.fill();
    const large = [Buffer.alloc(100_000, 1), Buffer.alloc(100_000, 2)];
    await expect(topics.append(topic, large)).rejects.toThrow(StoreUnavailable);
    expect(await texts(topics, topic)).toEqual(['kept']);
    expect(await topics.size(topic)).toEqual({ frames: 1, bytes: 4 });
    disk.free();
    expect(await topics.append(topic, [Buffer.from('more')])).toBe(1);
    const manifest = await topics.seal(topic);
    expect(manifest.sha256).toBe(createHash('sha256').update('keptmore').digest('hex'));
    expect(await texts(topics, topic)).toEqual(['kept', 'more']);
    expect(await topics.manifest(topic)).toEqual(manifest);
  });

  it('keep no file open once they are sealed, deleted or closed', async () => {
    const openFiles = () => readdirSync('/proc/self/fd').length;
    const directory = temporaryDirectory();
    const before = openFiles();
    const topics = await openEmbeddedTopics({ directory, clock: new ManualClock() });
    for (let n = 0; n < 20; n += 1) {
      const topic = randomUUID();
      await topics.create(topic);
      await topics.append(topic, [Buffer.from('a')]);
      await topics.create(topic);
      await texts(topics, topic);
      if (n % 3 === 0) await topics.seal(topic);
      if (n % 3 === 1) await topics.delete(topic);
    }
    await topics.close();
    expect(openFiles()).toBe(before);
  });
});

describe('small topics in the log', () => {
  const openBoth = async (dataDir = temporaryDirectory(), maxTopicRows?: number) => {
    const clock = new ManualClock();
    const store = await openEmbeddedEventStore({ dataDir, clock, ...(maxTopicRows !== undefined && { maxTopicRows }) });
    const topics = await openEmbeddedTopics({ directory: join(dataDir, 'topics'), clock, rows: store.topicRows });
    const close = async () => {
      await topics.close();
      await store.close();
    };
    onTestFinished(close);
    return { dataDir, store, topics, close };
  };
  const frames = ['one', 'two'].map((text) => Buffer.from(text));
  const anEvent = () => [{ id: randomUUID(), type: 'SomethingHappened', data: {}, metadata: {} }];
  const store = async ({ topics, store: events }: Awaited<ReturnType<typeof openBoth>>, topic: string) => {
    const whole = topics.whole(topic, frames, { of: 'test' });
    if (!whole) throw new Error('a small topic');
    await events.append(randomUUID(), 'no stream', anEvent(), whole);
    return whole.manifest;
  };
  const read = async (topics: Topics, topic: string, after?: number) => {
    const found: [number, string][] = [];
    for await (const { sequence, data } of topics.read(topic, after === undefined ? { follow: true } : { after }))
      found.push([sequence, Buffer.from(data).toString()]);
    return found;
  };

  it('are read like any sealed topic, also after a restart', async () => {
    const first = await openBoth();
    const topic = randomUUID();
    const manifest = await store(first, topic);
    expect(manifest).toEqual({
      frames: 2,
      bytes: 6,
      sha256: createHash('sha256').update('onetwo').digest('hex'),
      attributes: { of: 'test' },
    });
    expect(await read(first.topics, topic)).toEqual([
      [0, 'one'],
      [1, 'two'],
    ]);
    await first.close();
    const { topics } = await openBoth(first.dataDir);
    expect(await topics.manifest(topic)).toEqual(manifest);
    expect(await topics.size(topic)).toEqual({ frames: 2, bytes: 6 });
    expect(await read(topics, topic)).toEqual([
      [0, 'one'],
      [1, 'two'],
    ]);
    expect(await read(topics, topic, 0)).toEqual([[1, 'two']]);
    const listed = [];
    for await (const one of topics.list()) listed.push(one);
    expect(listed).toEqual([{ topic, manifest }]);
  });

  it('leave no bytes in a file once deleted and purged, whatever SQLite has moved', async () => {
    const both = await openBoth();
    const SECRET = 'a secret of the erased subject';
    const storeOne = async (text: string, size: number): Promise<string> => {
      const topic = randomUUID();
      const whole = both.topics.whole(topic, [Buffer.from(text.repeat(Math.ceil(size / text.length)))], {});
      if (!whole) throw new Error('a small topic');
      await both.store.append(randomUUID(), 'no stream', anEvent(), whole);
      return topic;
    };
    const secret: string[] = [];
    const others: string[] = [];
    for (let n = 0; n < 150; n++) {
      const size = [40, 300, 900, 2_500, 5_000, 60_000][n % 6] ?? 40;
      secret.push(await storeOne(SECRET, size));
      others.push(await storeOne('nothing personal', size));
    }
    for (const topic of others.filter((_, n) => n % 3 !== 0)) await both.topics.delete(topic);
    for (const topic of secret) await both.topics.delete(topic);
    await both.topics.purge?.();
    const files = readdirSync(both.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const { parentPath, name } of files) expect([name, readFileSync(join(parentPath, name)).includes(SECRET)]).toEqual([name, false]);
  });

  it('are refused above a number of rows until one is deleted, so that a burst cannot fill the log', async () => {
    const first = await openBoth(undefined, 2);
    const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()];
    await store(first, one);
    await store(first, two);
    expect(first.topics.whole(three, frames, {})).toBe(null);
    await first.close();
    const second = await openBoth(first.dataDir, 2);
    expect(second.topics.whole(three, frames, {})).toBe(null);
    await second.topics.delete(one);
    await second.topics.delete(one);
    await store(second, three);
    expect(second.topics.whole(randomUUID(), frames, {})).toBe(null);
  });

  it('accept no more frames, and cannot be recreated', async () => {
    const first = await openBoth();
    const topic = randomUUID();
    const manifest = await store(first, topic);
    await first.close();
    const { topics } = await openBoth(first.dataDir);
    await expect(topics.append(topic, frames)).rejects.toThrow(TopicSealed);
    await expect(topics.create(topic)).rejects.toThrow(TopicSealed);
    expect(await topics.seal(topic, { of: 'test' })).toEqual(manifest);
    await expect(topics.seal(topic, { of: 'another' })).rejects.toThrow(TopicSealed);
    expect(await topics.deleteAbandoned(topic)).toBe(false);
  });

  it('are found, with their size, if they are stored while a reader looks for their file', async () => {
    const both = await openBoth();
    const topic = randomUUID();
    await store(both, topic);
    /** Not there before the reader wants to follow the file. */
    const openLate = async () => {
      const real = both.store.topicRows;
      let stored = false;
      const has = (id: string) => {
        stored = true;
        return real.has(id);
      };
      const get = (id: string) => (stored ? real.get(id) : null);
      const rows = { ...real, get, has };
      return openEmbeddedTopics({ directory: join(both.dataDir, 'topics'), clock: new ManualClock(), rows });
    };
    expect(await read(await openLate(), topic)).toEqual([
      [0, 'one'],
      [1, 'two'],
    ]);
    expect(await (await openLate()).size(topic)).toEqual({ frames: 2, bytes: 6 });
  });

  it('are missing once deleted', async () => {
    const first = await openBoth();
    const { topics } = first;
    const topic = randomUUID();
    await store(first, topic);
    await topics.delete(topic);
    await topics.delete(topic);
    expect(await topics.manifest(topic)).toBeNull();
    await expect(read(topics, topic)).rejects.toThrow(TopicMissing);
  });

  it('are not used above 64 KiB, for a topic that is being written, or without a log', async () => {
    const { topics } = await openBoth();
    const topic = randomUUID();
    expect(topics.whole(topic, [Buffer.alloc(65_537)], {})).toBeNull();
    await topics.create(topic);
    expect(topics.whole(topic, frames, {})).toBeNull();
    const alone = await openEmbeddedTopics({ directory: temporaryDirectory(), clock: new ManualClock() });
    expect(alone.whole(randomUUID(), frames, {})).toBeNull();
  });
});
