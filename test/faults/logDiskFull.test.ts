import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openEmbeddedEventStore } from '../../src/stores/embedded/eventStore.ts';
import { type NewStoredEvent, StoreUnavailable } from '../../src/stores/eventStore.ts';
import { ManualClock } from '../manualClock.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { recovered } from './recovery.ts';

interface Disk {
  readonly directory: string;
  fill(): void;
  free(): void;
}

/** The kernel refuses to extend any file of this process beyond the log's current length. Works for every user. */
const limitedFiles = (): Disk => {
  const directory = temporaryDirectory();
  const limit = (bytes: number | 'unlimited') => execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]);
  const size = (name: string) => statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0;
  const free = () => {
    limit('unlimited');
  };
  onTestFinished(free);
  return { directory, free, fill: () => limit(Math.max(size('log.db'), size('log.db-wal')) + 10_000) };
};

/** A separate file system of 4 MiB that can be filled. Needs the right to mount. */
const smallFileSystem = (): Disk => {
  const directory = temporaryDirectory();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', directory]);
  onTestFinished(() => {
    execFileSync('umount', ['-l', directory]);
  });
  const ballast = join(directory, 'ballast');
  return {
    directory,
    fill: () => {
      const { bavail, bsize } = statfsSync(directory);
      writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    },
    free: () => rmSync(ballast),
  };
};

const mayMount = (() => {
  try {
    execFileSync('unshare', ['--mount', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

const eventsOf = (count: number, text: string): NewStoredEvent[] =>
  Array.from({ length: count }, () => ({ id: randomUUID(), type: 'SomethingHappened', data: { text }, metadata: {} }));

describe.each([
  ['files that may not grow', limitedFiles, true],
  ['a full file system', smallFileSystem, mayMount],
] as const)('the log on %s', (what, makeDisk, possible) => {
  it.skipIf(!possible)(
    'answers "unavailable", stores nothing partially, loses nothing acknowledged, and continues when there is space',
    async () => {
      const disk = makeDisk();
      const store = await openEmbeddedEventStore({ dataDir: disk.directory, clock: new ManualClock() });
      onTestFinished(() => store.close());
      await store.append('before', 'no stream', eventsOf(2, 'kept'));

      disk.fill();
      const large = eventsOf(3, 'x'.repeat(100_000));
      const refused = await Promise.allSettled(['a', 'b', 'c'].map((name) => store.append(name, 'no stream', large)));
      for (const outcome of refused) {
        expect(outcome.status).toBe('rejected');
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(StoreUnavailable);
      }
      const topics = Array.from({ length: 4 }, () => ({ topic: randomUUID(), segment: Buffer.alloc(60_000, 'x') }));
      const withTopics = () => Promise.allSettled(topics.map((topic, n) => store.append(`topic${n}`, 'no stream', eventsOf(1, ''), topic)));
      for (const { status } of await withTopics()) expect(status).toBe('rejected');
      expect(topics.filter(({ topic }) => store.topicRows.has(topic))).toEqual([]);
      expect(await store.readStream('before')).toHaveLength(2);
      for (const name of ['a', 'b', 'c']) expect(await store.readStream(name)).toEqual([]);

      disk.free();
      // Callers repeat appends of unknown outcome.
      await recovered(what, async () => {
        for (const name of ['a', 'b', 'c']) expect((await store.append(name, 'no stream', large)).revision).toBe(2n);
      });
      await recovered(`topics on ${what}`, async () => {
        for (const { status } of await withTopics()) expect(status).toBe('fulfilled');
      });
      for (const { topic, segment } of topics) expect(store.topicRows.get(topic)).toEqual(segment);
      const stored = (await store.readAll({ after: null, limit: 100 })).slice(0, 11);
      expect(stored.map(({ eventStream, revision }) => `${eventStream}${revision}`)).toEqual([
        'before0',
        'before1',
        'a0',
        'a1',
        'a2',
        'b0',
        'b1',
        'b2',
        'c0',
        'c1',
        'c2',
      ]);
      expect((await store.head())?.endsWith('15')).toBe(true);
    },
  );
});
