import { createHash, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Frame, MAX_FRAME_BYTES, type ReadTopicOptions, TopicMissing, TopicSealed, type Topics } from '../../src/stores/topics.ts';
import { eventually } from '../eventually.ts';
import type { ManualClock } from '../manualClock.ts';

const text = (value: string): Uint8Array => Buffer.from(value);
const sha256 = (...pieces: Uint8Array[]): string => {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
};

/** What every topics adapter promises. `open` gives an empty store. */
export const topicsContract = (open: () => Promise<{ topics: Topics; clock: ManualClock }>): void => {
  let topics: Topics;
  let clock: ManualClock;
  let topic: string;

  const all = async (options?: ReadTopicOptions): Promise<Frame[]> => {
    const frames: Frame[] = [];
    for await (const frame of topics.read(topic, options)) frames.push(frame);
    return frames;
  };
  const texts = async (options?: ReadTopicOptions) => (await all(options)).map(({ data }) => Buffer.from(data).toString());
  /** Follows the topic from now on; `seen` grows with each frame. */
  const follow = (signal?: AbortSignal) => {
    const seen: string[] = [];
    const done = (async () => {
      for await (const { data } of topics.read(topic, { follow: true, ...(signal && { signal }) })) seen.push(Buffer.from(data).toString());
      return seen;
    })();
    done.catch(() => undefined);
    return { seen, done };
  };

  beforeEach(async () => {
    const opened = await open();
    topics = opened.topics;
    clock = opened.clock;
    onTestFinished(() => opened.topics.close());
    topic = randomUUID();
  });

  describe('writing', () => {
    it('counts frames from 0 and keeps their time and bytes', async () => {
      await topics.create(topic);
      expect(await topics.append(topic, [text('a'), text('')])).toBe(1);
      const first = clock.now();
      await clock.advance(5_000);
      expect(await topics.append(topic, [text('c')])).toBe(2);
      const frames = await all();
      expect(frames.map(({ sequence, at }) => ({ sequence, at }))).toEqual([
        { sequence: 0, at: first },
        { sequence: 1, at: first },
        { sequence: 2, at: first + 5_000 },
      ]);
      expect(await texts()).toEqual(['a', '', 'c']);
      expect(await topics.size(topic)).toEqual({ frames: 3, bytes: 2 });
    });

    it('stores appends in the order of the calls, awaited or not', async () => {
      await topics.create(topic);
      const sequences = await Promise.all(Array.from({ length: 300 }, (_, n) => topics.append(topic, [text(`${n}`), text('-')])));
      expect(sequences).toEqual(Array.from({ length: 300 }, (_, n) => 2 * n + 1));
      expect((await texts()).filter((value) => value !== '-')).toEqual(Array.from({ length: 300 }, (_, n) => `${n}`));
    });

    it('stores a frame given in several pieces as one', async () => {
      await topics.create(topic);
      const mebibyte = Array.from({ length: 24 }, (_, n) => Buffer.alloc(n === 23 ? 2 ** 20 - 23 * 45_000 : 45_000, n + 1));
      await topics.append(topic, [[text('in '), text(''), text('three')], mebibyte, [], text('whole')]);
      const manifest = await topics.seal(topic);
      const frames = [text('in three'), Buffer.concat(mebibyte), text(''), text('whole')];
      expect((await all()).map(({ data }) => sha256(data))).toEqual(frames.map((frame) => sha256(frame)));
      expect(manifest).toMatchObject({ frames: 4, bytes: 8 + 2 ** 20 + 5, sha256: sha256(...frames) });
    });

    it('accepts frames of up to 1 MiB', async () => {
      await topics.create(topic);
      const large = Buffer.alloc(MAX_FRAME_BYTES, 7);
      await topics.append(topic, [text('x'), large, large, text('y')]);
      await expect(topics.append(topic, [Buffer.alloc(MAX_FRAME_BYTES + 1)])).rejects.toThrow(RangeError);
      await expect(topics.append(topic, [[large, text('z')]])).rejects.toThrow(RangeError);
      const frames = await all();
      expect(frames.map(({ data }) => data.length)).toEqual([1, MAX_FRAME_BYTES, MAX_FRAME_BYTES, 1]);
      expect(sha256(...frames.map(({ data }) => data))).toBe(sha256(text('x'), large, large, text('y')));
    });

    it('keeps the bytes of many writers apart', async () => {
      const ids = Array.from({ length: 32 }, () => randomUUID());
      const body = (n: number) => Buffer.alloc(65_536, n);
      await Promise.all(
        ids.map(async (id, n) => {
          await topics.create(id);
          await topics.append(id, [body(n)]);
          const manifest = await topics.seal(id, { n });
          expect(manifest).toEqual({ frames: 1, bytes: 65_536, sha256: sha256(body(n)), attributes: { n } });
        }),
      );
      topic = ids[17] ?? '';
      expect(sha256(...(await all()).map(({ data }) => data))).toBe(sha256(body(17)));
    });
  });

  describe('resuming', () => {
    it('continues after what is there, and seals the whole', async () => {
      await topics.create(topic);
      await topics.append(topic, [text('one ')]);
      expect(await topics.resume(topic)).toEqual({ frames: 1, bytes: 4 });
      await topics.append(topic, [text('two')]);
      expect(await topics.resume(topic)).toEqual({ frames: 2, bytes: 7 });
      expect(await topics.seal(topic)).toMatchObject({ frames: 2, bytes: 7, sha256: sha256(text('one two')) });
    });

    it('counts the appends that are under way', async () => {
      await topics.create(topic);
      const appended = topics.append(topic, [text('one')]);
      expect(await topics.resume(topic)).toEqual({ frames: 1, bytes: 3 });
      await appended;
    });

    it('is refused for a sealed topic and for a missing one', async () => {
      await expect(topics.resume(topic)).rejects.toBeInstanceOf(TopicMissing);
      await expect(topics.resume('../x')).rejects.toBeInstanceOf(TopicMissing);
      await topics.create(topic);
      await topics.seal(topic);
      await expect(topics.resume(topic)).rejects.toBeInstanceOf(TopicSealed);
    });
  });

  describe('a seal', () => {
    it('contains frames, bytes and the SHA-256 of all data, and keeps the attributes', async () => {
      await topics.create(topic);
      await topics.append(topic, [text('hello ')]);
      await topics.append(topic, [text('world')]);
      expect(await topics.manifest(topic)).toBeNull();
      const manifest = await topics.seal(topic, { contentType: 'text/plain', nested: { ü: [1, null] } });
      expect(manifest).toEqual({
        frames: 2,
        bytes: 11,
        sha256: sha256(text('hello world')),
        attributes: { contentType: 'text/plain', nested: { ü: [1, null] } },
      });
      expect(await topics.manifest(topic)).toEqual(manifest);
      expect(await topics.size(topic)).toEqual({ frames: 2, bytes: 11 });
      expect(await texts({ follow: true })).toEqual(['hello ', 'world']);
    });

    it('closes an empty topic too', async () => {
      await topics.create(topic);
      expect(await topics.seal(topic)).toEqual({ frames: 0, bytes: 0, sha256: sha256(), attributes: {} });
      expect(await all({ follow: true })).toEqual([]);
    });

    it('rejects frames after it', async () => {
      await topics.create(topic);
      const [appended, manifest, late] = await Promise.allSettled([
        topics.append(topic, [text('a')]),
        topics.seal(topic),
        topics.append(topic, [text('b')]),
      ]);
      expect([appended.status, manifest.status]).toEqual(['fulfilled', 'fulfilled']);
      expect(late).toMatchObject({ status: 'rejected', reason: expect.any(TopicSealed) });
      await expect(topics.append(topic, [text('b')])).rejects.toThrow(TopicSealed);
      await expect(topics.create(topic)).rejects.toThrow(TopicSealed);
      expect(await texts()).toEqual(['a']);
    });

    it('may be repeated with the same attributes only', async () => {
      await topics.create(topic);
      await topics.append(topic, [text('a')]);
      const manifest = await topics.seal(topic, { n: 1 });
      expect(await topics.seal(topic, { n: 1 })).toEqual(manifest);
      await expect(topics.seal(topic, { n: 2 })).rejects.toThrow(TopicSealed);
    });
  });

  describe('reading', () => {
    it('starts after a sequence and ends at the last existing frame', async () => {
      await topics.create(topic);
      await topics.append(topic, ['a', 'b', 'c'].map(text));
      expect(await texts({ after: 0 })).toEqual(['b', 'c']);
      expect(await texts({ after: 2 })).toEqual([]);
    });

    it('follows a topic that is being written until it is sealed', async () => {
      await topics.create(topic);
      const { seen, done } = follow();
      for (const value of ['a', 'b', 'c']) {
        await topics.append(topic, [text(value)]);
        await eventually(() => seen.at(-1) === value);
      }
      await topics.seal(topic);
      expect(await done).toEqual(['a', 'b', 'c']);
    });

    it('lets many follow at their own pace, each getting everything', async () => {
      await topics.create(topic);
      const readers = Array.from({ length: 10 }, () => follow());
      for (let n = 0; n < 50; n += 1) await topics.append(topic, [text(`${n}`)]);
      await topics.seal(topic);
      for (const { done } of readers) expect(await done).toHaveLength(50);
    });

    it('ends when its signal aborts, while waiting or reading', async () => {
      await topics.create(topic);
      await topics.append(topic, [text('a')]);
      const stop = new AbortController();
      const { seen, done } = follow(stop.signal);
      await eventually(() => seen.length === 1);
      stop.abort(new Error('enough'));
      await expect(done).rejects.toThrow('enough');
      await expect(all({ signal: stop.signal })).rejects.toThrow('enough');
    });

    it('may be stopped, and the topic continues', async () => {
      await topics.create(topic);
      await topics.append(topic, [text('a')]);
      for await (const { data } of topics.read(topic, { follow: true })) {
        expect(Buffer.from(data).toString()).toBe('a');
        break;
      }
      await topics.append(topic, [text('b')]);
      expect(await texts()).toEqual(['a', 'b']);
    });
  });

  describe('missing topics', () => {
    it('are reported to readers and writers', async () => {
      await expect(all()).rejects.toThrow(TopicMissing);
      await expect(all({ follow: true })).rejects.toThrow(TopicMissing);
      await expect(topics.append(topic, [text('a')])).rejects.toThrow(TopicMissing);
      await expect(topics.seal(topic)).rejects.toThrow(TopicMissing);
      expect(await topics.manifest(topic)).toBeNull();
      expect(await topics.size(topic)).toBeNull();
    });

    it('include every id that is not a UUID, whatever path it forms', async () => {
      for (const id of ['', '..', '../../etc/passwd', `${'a'.repeat(8)}/../x`, `${topic}/..`, `${topic}\0`, topic.toUpperCase()]) {
        topic = id;
        await expect(all()).rejects.toThrow(TopicMissing);
        await expect(topics.append(id, [text('a')])).rejects.toThrow(TopicMissing);
        await expect(topics.create(id)).rejects.toThrow('not a topic id');
        expect(await topics.manifest(id)).toBeNull();
        expect(await topics.size(id)).toBeNull();
        await topics.delete(id);
      }
    });
  });

  describe('recreating and deleting', () => {
    it('empties an unsealed leftover', async () => {
      await topics.create(topic);
      await topics.append(topic, [text('old')]);
      const { seen, done } = follow();
      await eventually(() => seen.length === 1);
      await topics.create(topic);
      await expect(done).rejects.toThrow(TopicMissing);
      expect(await topics.size(topic)).toEqual({ frames: 0, bytes: 0 });
      await topics.append(topic, [text('new')]);
      await topics.seal(topic);
      expect(await texts()).toEqual(['new']);
    });

    it('ends the followers of a deleted topic', async () => {
      await topics.create(topic);
      await topics.append(topic, [text('a')]);
      const { seen, done } = follow();
      await eventually(() => seen.length === 1);
      await topics.delete(topic);
      await expect(done).rejects.toThrow(TopicMissing);
      await expect(all()).rejects.toThrow(TopicMissing);
      await expect(topics.append(topic, [text('b')])).rejects.toThrow(TopicMissing);
      await topics.delete(topic);
    });

    it('deletes a sealed topic, whose id may be reused, whatever the order of the calls', async () => {
      await topics.create(topic);
      await topics.append(topic, [text('a')]);
      await topics.seal(topic);
      const deleted = topics.delete(topic);
      const created = topics.create(topic);
      const appended = topics.append(topic, [text('b')]);
      await Promise.all([deleted, created, appended]);
      expect(await texts()).toEqual(['b']);
    });
  });

  describe('listing leftovers', () => {
    const listed = async () => {
      const found = new Map<string, unknown>();
      for await (const { topic: id, manifest } of topics.list()) found.set(id, manifest);
      return found;
    };

    it('returns sealed topics with their manifests, and none that is being written', async () => {
      await topics.create(topic);
      const other = randomUUID();
      await topics.create(other);
      await topics.append(other, [text('a')]);
      const manifest = await topics.seal(other, { streamId: 's' });
      expect([...(await listed())]).toEqual([[other, manifest]]);
      await topics.delete(other);
      expect((await listed()).size).toBe(0);
    });

    it('deletes no topic with a writer or a manifest', async () => {
      await topics.create(topic);
      expect(await topics.deleteAbandoned(topic)).toBe(false);
      await topics.append(topic, [text('a')]);
      await topics.seal(topic);
      expect(await topics.deleteAbandoned(topic)).toBe(false);
      expect(await texts()).toEqual(['a']);
      expect(await topics.deleteAbandoned(randomUUID())).toBe(false);
      expect(await topics.deleteAbandoned('../x')).toBe(false);
    });
  });
};
