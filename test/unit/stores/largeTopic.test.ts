import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type * as Files from '../../../src/stores/embedded/files.ts';
import { openEmbeddedTopics } from '../../../src/stores/embedded/topics.ts';
import { StoreUnavailable } from '../../../src/stores/eventStore.ts';
import type { Topics } from '../../../src/stores/topics.ts';
import { eventually } from '../../eventually.ts';
import { ManualClock } from '../../manualClock.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';

const MEBIBYTE = 1_048_576;
/** A sync that fails once and then says nothing more of it, as Linux does. */
const syncs = vi.hoisted(() => ({ begun: 0, done: 0, failing: false }));
vi.mock('../../../src/stores/embedded/files.ts', async (original) => {
  const files = await original<typeof Files>();
  const syncData: typeof files.syncData = async (fd) => {
    syncs.begun += 1;
    if (syncs.failing) {
      syncs.failing = false;
      throw new StoreUnavailable('the disk could not write');
    }
    await files.syncData(fd);
    syncs.done += 1;
  };
  return { ...files, syncData };
});

describe('a large topic', () => {
  let topics: Topics;
  const topic = randomUUID();

  beforeEach(async () => {
    topics = await openEmbeddedTopics({ directory: temporaryDirectory(), clock: new ManualClock() });
    Object.assign(syncs, { begun: 0, done: 0, failing: false });
    await topics.create(topic);
  });
  afterEach(() => topics.close());

  const frames = Array.from({ length: 40 }, () => randomBytes(MEBIBYTE));

  test('is synced every 16 MiB, and when it is sealed', async () => {
    for (const [n, frame] of frames.entries()) {
      await topics.append(topic, [frame]);
      if (n === 15 || n === 31) await eventually(() => expect(syncs.done).toBe((n + 1) / 16));
    }
    const hash = createHash('sha256');
    for (const frame of frames) hash.update(frame);
    expect(await topics.seal(topic)).toMatchObject({ frames: 40, bytes: 40 * MEBIBYTE, sha256: hash.digest('hex') });
    expect(syncs.begun).toBe(3);
    let read = 0;
    for await (const { sequence, data } of topics.read(topic)) {
      expect(Buffer.compare(data, frames[sequence] ?? Buffer.alloc(0))).toBe(0);
      read += 1;
    }
    expect(read).toBe(40);
  });

  test('is never sealed after a failed sync, even if a later sync succeeds, but can be recreated', async () => {
    syncs.failing = true;
    const write = async () => {
      for (const frame of frames) await topics.append(topic, [frame]);
      await topics.seal(topic);
    };
    await expect(write()).rejects.toThrow(StoreUnavailable);
    expect(syncs.failing).toBe(false);
    await expect(topics.seal(topic)).rejects.toThrow(StoreUnavailable);
    expect(await topics.manifest(topic)).toBeNull();
    await topics.create(topic);
    await write();
    expect(await topics.manifest(topic)).toMatchObject({ frames: 40 });
  });

  test('is not sealed if the sync of its seal failed, but can be recreated', async () => {
    await topics.append(topic, [frames[0] ?? Buffer.alloc(0)]);
    syncs.failing = true;
    await expect(topics.seal(topic)).rejects.toThrow(StoreUnavailable);
    expect(await topics.manifest(topic)).toBeNull();
    await expect(topics.seal(topic)).rejects.toThrow(StoreUnavailable);
    await topics.create(topic);
    await topics.append(topic, [Buffer.from('again')]);
    expect(await topics.seal(topic)).toMatchObject({ frames: 1, bytes: 5 });
  });
});
