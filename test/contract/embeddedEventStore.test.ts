import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DataDirectoryRefused } from '../../src/stores/embedded/dataDirectory.ts';
import { openEmbeddedEventStore } from '../../src/stores/embedded/eventStore.ts';
import type { LogWriterData } from '../../src/stores/embedded/logWriter.ts';
import { threadOf } from '../../src/stores/embedded/writerThread.ts';
import { type NewStoredEvent, StoreUnavailable } from '../../src/stores/eventStore.ts';
import { eventually } from '../eventually.ts';
import { ManualClock } from '../manualClock.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { eventStoreContract } from './eventStore.ts';

eventStoreContract('the embedded log', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-test-'));
  const clock = new ManualClock();
  const store = await openEmbeddedEventStore({ dataDir, clock });
  return {
    store,
    pass: (seconds) => clock.advance(seconds * 1000),
    dispose: async () => {
      await store.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
});

/** The real writer thread, which dies at its n-th answer. */
const dyingWriter = (workerData: LogWriterData, at: number): Worker => {
  const compiled = new URL('../../dist/stores/embedded/logWriter.js', import.meta.url).href;
  const script = `const { parentPort } = require('node:worker_threads');
    const post = parentPort.postMessage.bind(parentPort);
    let answers = 0;
    parentPort.postMessage = (message) => {
      if ('outcomes' in message && ++answers === ${at}) throw new Error('killed by the test');
      post(message);
    };
    import(${JSON.stringify(compiled)});`;
  return new Worker(script, { eval: true, workerData });
};

const startLogWriter = threadOf<LogWriterData>('logWriter');

describe('the embedded log', () => {
  const openIn = async (dataDir: string, clock = new ManualClock(), startWriter = startLogWriter) => {
    const store = await openEmbeddedEventStore({ dataDir, clock, startWriter });
    onTestFinished(() => store.close());
    return store;
  };
  const eventsOf = (count: number, text = ''): NewStoredEvent[] =>
    Array.from({ length: count }, () => ({ id: randomUUID(), type: 'SomethingHappened', data: { text }, metadata: {} }));

  it('is complete after reopening, and continues positions and revisions', async () => {
    const dataDir = temporaryDirectory();
    const first = await openIn(dataDir);
    const { position } = await first.append('a', 'no stream', eventsOf(3));
    await first.setRetention('b', 10);
    await first.close();
    const clock = new ManualClock();
    const second = await openIn(dataDir, clock);
    expect(await second.head()).toBe(position);
    const next = await second.append('a', 2n, eventsOf(1));
    expect(next.revision).toBe(3n);
    expect(next.position > position).toBe(true);
    await second.append('b', 'no stream', eventsOf(1));
    await clock.advance(11_000);
    expect(await second.readStream('b')).toEqual([]);
  });

  describe('appends with a small topic', () => {
    const topic = () => ({ topic: randomUUID(), segment: Buffer.from('bytes') });

    it('are one commit', async () => {
      const store = await openIn(temporaryDirectory());
      const bytes = topic();
      expect((await store.append('a', 'no stream', eventsOf(2), bytes)).revision).toBe(1n);
      expect(store.topicRows.get(bytes.topic)?.toString()).toBe('bytes');
    });

    it('store nothing at another revision', async () => {
      const store = await openIn(temporaryDirectory());
      await store.append('a', 'no stream', eventsOf(1));
      const bytes = topic();
      const refused = store.append('a', 'no stream', eventsOf(1), bytes);
      await expect(refused).rejects.toMatchObject({ name: 'WrongExpectedRevision', eventStream: 'a', actual: 0n });
      expect((await store.readStream('a')).length).toBe(1);
      expect(store.topicRows.has(bytes.topic)).toBe(false);
    });

    it('succeed without storing anything when repeated with the same ids', async () => {
      const store = await openIn(temporaryDirectory());
      const [events, bytes] = [eventsOf(1), topic()];
      const first = await store.append('a', 'no stream', events, bytes);
      expect(await store.append('a', 'no stream', events, bytes)).toEqual(first);
      expect((await store.readAll({ after: null, limit: 10 })).length).toBe(1);
    });

    it('fail with their topic when the writer dies, and a repetition returns the outcome', async () => {
      const dataDir = temporaryDirectory();
      let deaths = 0;
      const startWriter = (data: LogWriterData) => (deaths++ === 0 ? dyingWriter(data, 1) : startLogWriter(data));
      const store = await openIn(dataDir, new ManualClock(), startWriter);
      const [events, bytes] = [eventsOf(1), topic()];
      await expect(store.append('a', 'no stream', events, bytes)).rejects.toThrow(StoreUnavailable);
      expect((await store.append('a', 'no stream', events, bytes)).revision).toBe(0n);
      expect((await store.readAll({ after: null, limit: 10 })).length).toBe(1);
      expect(store.topicRows.has(bytes.topic)).toBe(true);
    });

    it('replace a topic that is stored again, and forget one that is dropped, also within their own commit', async () => {
      const dataDir = temporaryDirectory();
      const store = await openIn(dataDir);
      const ids = Array.from({ length: 6 }, () => randomUUID());
      const segmentOf = (text: string) => Buffer.alloc(60_000, text);
      const storeAll = (text: string) =>
        ids.map((topic) => store.append(randomUUID(), 'no stream', eventsOf(1), { topic, segment: segmentOf(text) }));
      const dropped = ids[5] ?? '';
      // One turn is one commit.
      await Promise.all([...storeAll('a'), store.topicRows.drop(dropped)]);
      expect(store.topicRows.has(dropped)).toBe(false);
      for (const topic of ids.slice(0, 5)) expect(store.topicRows.get(topic)?.equals(segmentOf('a'))).toBe(true);
      await Promise.all([...storeAll('b'), ...storeAll('c')]);
      for (const topic of ids) expect(store.topicRows.get(topic)?.equals(segmentOf('c'))).toBe(true);
      expect(store.topicRows.after('', 10)).toEqual(ids.toSorted());
      await store.topicRows.purge();
      for (const name of readdirSync(dataDir)) {
        const bytes = readFileSync(join(dataDir, name));
        for (const text of ['a', 'b']) expect([name, bytes.includes(Buffer.alloc(2_000, text))]).toEqual([name, false]);
      }
    });

    it('keep topics over a restart, until they are dropped and purged from every file', async () => {
      const dataDir = temporaryDirectory();
      const first = await openIn(dataDir);
      const secret = randomUUID();
      const bytes = { topic: randomUUID(), segment: Buffer.from(secret.repeat(1_000)) };
      await first.append('a', 'no stream', eventsOf(1), bytes);
      await first.close();
      const second = await openIn(dataDir);
      expect(second.topicRows.after('', 10)).toEqual([bytes.topic]);
      expect(second.topicRows.get(bytes.topic)?.equals(bytes.segment)).toBe(true);
      await second.topicRows.drop(bytes.topic);
      expect(second.topicRows.has(bytes.topic)).toBe(false);
      await second.topicRows.purge();
      for (const name of readdirSync(dataDir)) expect(readFileSync(join(dataDir, name)).includes(secret)).toBe(false);
    });
  });

  it('opens a log of the previous version, and adds what is new', async () => {
    const dataDir = temporaryDirectory();
    const before = await openIn(dataDir);
    await before.append('a', 'no stream', eventsOf(1));
    await before.close();
    const db = new DatabaseSync(join(dataDir, 'log.db'));
    db.exec('DROP TABLE topics; PRAGMA user_version = 1');
    db.close();
    const store = await openIn(dataDir);
    await store.append('a', 0n, eventsOf(1), { topic: randomUUID(), segment: Buffer.from('x') });
    expect((await store.readStream('a')).length).toBe(2);
  });

  it('is readable by its owner only', async () => {
    const dataDir = temporaryDirectory();
    await (await openIn(dataDir)).append('a', 'no stream', eventsOf(1));
    for (const name of ['log.db', 'log.db-wal', 'log.db-shm']) expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
  });

  it('is refused if a newer version wrote it', async () => {
    const dataDir = temporaryDirectory();
    const db = new DatabaseSync(join(dataDir, 'log.db'));
    db.exec('PRAGMA user_version = 99');
    db.close();
    const opening = openEmbeddedEventStore({ dataDir, clock: new ManualClock() });
    await expect(opening).rejects.toThrow(/was written by a newer version of Tributary \(format 99, this one knows 4\)/);
    await expect(opening).rejects.toBeInstanceOf(DataDirectoryRefused);
  });

  it('is refused with a sentence if the file is something else', async () => {
    const dataDir = temporaryDirectory();
    writeFileSync(join(dataDir, 'log.db'), 'not a log at all '.repeat(500));
    await expect(openEmbeddedEventStore({ dataDir, clock: new ManualClock() })).rejects.toThrow(/log\.db cannot be opened/);
  });

  it('leaves no thread behind if it cannot be read', async () => {
    const dataDir = temporaryDirectory();
    let exitCode: number | null = null;
    const startWriter = (data: LogWriterData) =>
      startLogWriter({ ...data, file: join(temporaryDirectory(), 'log.db') }).once('exit', (code) => {
        exitCode = code;
      });
    await expect(openIn(dataDir, new ManualClock(), startWriter)).rejects.toThrow('log.db');
    expect(exitCode).toBe(0);
  });

  it('answers "unavailable" when its writer dies after a commit, loses and doubles nothing, and continues with a new one', async () => {
    let started = 0;
    const store = await openIn(temporaryDirectory(), new ManualClock(), (data) => {
      started += 1;
      return started === 1 ? dyingWriter(data, 2) : startLogWriter(data);
    });
    const given = Array.from({ length: 600 }, () => eventsOf(2));
    const append = (n: number) => store.append(`s-${n}`, 'no stream', given[n] ?? []);
    // The first append is answered alone. Otherwise the writer could commit all appends before its first answer, and would not die during any.
    const first = await Promise.allSettled([append(0)]);
    const outcomes = [...first, ...(await Promise.allSettled(given.slice(1).map((_, n) => append(n + 1))))];
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['fulfilled', 'rejected']));
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(StoreUnavailable);
    // The commit without an answer is stored: only a repetition can tell.
    const answered = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect((await store.readAll({ after: null, limit: 10_000 })).length).toBeGreaterThan(answered * 2);

    const repeated = await Promise.allSettled(given.map((_, n) => append(n)));
    expect(repeated.every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(started).toBe(2);
    expect(await store.readAll({ after: null, limit: 10_000 })).toHaveLength(1200);
    for (const [n, outcome] of outcomes.entries()) if (outcome.status === 'fulfilled') expect(repeated[n]).toEqual(outcome);
  });

  it('moves its WAL into the file after 16 MiB, long before SQLite does so within a commit', async () => {
    const dataDir = temporaryDirectory();
    const store = await openIn(dataDir);
    for (let n = 0; n < 20; n += 1) await store.append(`s-${n}`, 'no stream', eventsOf(1, 'x'.repeat(1_000_000)));
    await eventually(() => expect(statSync(join(dataDir, 'log.db')).size).toBeGreaterThan(15_000_000));
    expect(statSync(join(dataDir, 'log.db-wal')).size).toBeLessThan(24_000_000);
  });

  it('keeps its WAL bounded even if readers never pause', async () => {
    const dataDir = temporaryDirectory();
    const store = await openIn(dataDir);
    let reading = true;
    const reader = (async () => {
      while (reading) {
        await store.readAll({ after: null, limit: 2, direction: 'backwards' });
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let n = 0; n < 80; n += 1) await store.append(`s-${n}`, 'no stream', eventsOf(1, 'x'.repeat(1_000_000)));
    reading = false;
    await reader;
    expect(statSync(join(dataDir, 'log.db')).size).toBeGreaterThan(40_000_000);
    expect(statSync(join(dataDir, 'log.db-wal')).size).toBeLessThan(40_000_000);
  });

  it('deletes expired events from the file, except the last one of an event stream', async () => {
    const dataDir = temporaryDirectory();
    const clock = new ManualClock();
    const store = await openIn(dataDir, clock);
    await store.append('old', 'no stream', eventsOf(1200));
    await store.append('kept', 'no stream', eventsOf(5));
    await store.setRetention('old', 60);
    await clock.advance(11 * 60_000);
    const db = new DatabaseSync(join(dataDir, 'log.db'));
    const count = () => db.prepare('SELECT event_stream AS name, count(*) AS events FROM events GROUP BY 1 ORDER BY 1').all();
    await eventually(() =>
      expect(count()).toEqual([
        { name: 'kept', events: 5 },
        { name: 'old', events: 1 },
      ]),
    );
    db.close();
    expect((await store.append('old', 1199n, eventsOf(1))).revision).toBe(1200n);
  });

  it("refuses names that SQLite would change, and the store's own names", async () => {
    const store = await openIn(temporaryDirectory());
    for (const name of ['a\u0000b', '\ud800', '$system', 'line\nbreak']) {
      await expect(store.append(name, 'no stream', eventsOf(1))).rejects.toBeInstanceOf(TypeError);
    }
    await expect(store.append('a', 'no stream', [{ ...eventsOf(1)[0], id: 'x' } as NewStoredEvent])).rejects.toBeInstanceOf(TypeError);
    expect(await store.head()).toBeNull();
  });
});
