import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Logger } from '../../../src/logger.ts';
import { DataDirectoryRefused } from '../../../src/stores/embedded/dataDirectory.ts';
import { openEmbeddedEventStore } from '../../../src/stores/embedded/eventStore.ts';
import type { LogUpgrade } from '../../../src/stores/embedded/logUpgrade.ts';
import { encodeWhole } from '../../../src/stores/embedded/segment.ts';
import { openEmbeddedTopics } from '../../../src/stores/embedded/topics.ts';
import { openEmbeddedStores } from '../../../src/stores/embeddedStores.ts';
import { TopicDamaged, type Topics } from '../../../src/stores/topics.ts';
import { fixture, unpackData } from '../../fixtures/packing.ts';
import { ManualClock } from '../../manualClock.ts';
import { smallDisk } from '../../smallDisk.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';

const EXTENT_BYTES = 72 * 1024;
/** More than two transactions of the upgrade. */
const MANY = 130;
/** More than one. */
const SOME = 66;
const SECRET = 'a secret of the erased subject ';

interface InExtent {
  readonly topic: string;
  readonly segment: Buffer;
}

const topicWith = (text: string, length = 60_000): InExtent => {
  const data = Buffer.alloc(length, text);
  const manifest = { frames: 1, bytes: data.length, sha256: '', attributes: {} };
  return { topic: randomUUID(), segment: encodeWhole([data], manifest, 0) };
};

/** A log as version 3 left it: events, a row, topics in extents, and a free extent with the bytes of a deleted topic. */
const earlierLog = async (dataDir: string, topics: readonly InExtent[]): Promise<void> => {
  const store = await openEmbeddedEventStore({ dataDir, clock: new ManualClock() });
  await store.append('a', 'no stream', [{ id: randomUUID(), type: 'SomethingHappened', data: {}, metadata: {} }], topicWith('a row '));
  await store.close();
  const db = new DatabaseSync(join(dataDir, 'log.db'));
  db.exec(`CREATE TABLE extents (extent INTEGER PRIMARY KEY, topic TEXT NOT NULL UNIQUE, length INTEGER NOT NULL, head BLOB NOT NULL) STRICT;
    PRAGMA user_version = 3; BEGIN`);
  const insert = db.prepare('INSERT INTO extents VALUES (?, ?, ?, ?)');
  const extents = Buffer.alloc((topics.length + 1) * EXTENT_BYTES, SECRET);
  for (const [n, { topic, segment }] of topics.entries()) {
    insert.run(n + 1, topic, segment.length, segment.subarray(0, 24));
    extents.fill(0, (n + 1) * EXTENT_BYTES, (n + 2) * EXTENT_BYTES);
    segment.copy(extents, (n + 1) * EXTENT_BYTES);
  }
  db.exec('COMMIT');
  db.close();
  writeFileSync(join(dataDir, 'log.extents'), extents);
};

const open = async (dataDir: string, onUpgrade?: (upgrade: LogUpgrade) => void) => {
  const clock = new ManualClock();
  const store = await openEmbeddedEventStore({ dataDir, clock, ...(onUpgrade && { onUpgrade }) });
  const topics = await openEmbeddedTopics({ directory: join(dataDir, 'topics'), clock, rows: store.topicRows });
  const close = async () => {
    await topics.close();
    await store.close();
  };
  onTestFinished(close);
  return { store, topics, close };
};

const filesOf = (dataDir: string) =>
  readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

const readWhole = async (topics: Topics, topic: string): Promise<Buffer> => {
  const pieces: Uint8Array[] = [];
  for await (const { data } of topics.read(topic)) pieces.push(data);
  return Buffer.concat(pieces);
};

/** Upgrades in a process that kills itself before or after its n-th step. Returns whether it came that far. */
const killedAt = (dataDir: string, step: number): boolean => {
  const compiled = new URL('../../../dist/stores/embedded/logUpgrade.js', import.meta.url).href;
  const script = `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    import { DatabaseSync } from 'node:sqlite';
    let steps = 0;
    const stepwise = (owner, name) => {
      const real = owner[name];
      owner[name] = function (...given) {
        const die = () => ++steps === ${step} && process.kill(process.pid, 'SIGKILL');
        die();
        const result = Reflect.apply(real, this, given);
        die();
        return result;
      };
    };
    stepwise(DatabaseSync.prototype, 'exec');
    stepwise(fs, 'rmSync');
    syncBuiltinESMExports();
    const { upgradeLog } = await import(${JSON.stringify(compiled)});
    await upgradeLog(${JSON.stringify(join(dataDir, 'log.db'))});`;
  const { signal, status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  if (signal === null) expect([status, stderr]).toEqual([0, '']);
  return signal === 'SIGKILL';
};

const storesOptions = (dataDir: string, logged: [object, string][]) => {
  const say = (fields: object, message: string) => void logged.push([fields, message]);
  const logger: Logger = { debug() {}, info: say, warn: say, error: say, child: () => logger };
  return { dataDir, masterKey: null, diskWatermarkBytes: 0, clock: new ManualClock(), logger };
};

/** A second passes between any two looks at it. */
class HurriedClock extends ManualClock {
  #now = 0;

  override monotonic(): number {
    this.#now += 1_000;
    return this.#now;
  }
}

describe('the upgrade of a log with extents', () => {
  it('moves every topic into a row, deletes the file, and tells its progress', async () => {
    const dataDir = temporaryDirectory();
    const given = Array.from({ length: MANY }, (_, n) => topicWith(`topic ${n} `));
    await earlierLog(dataDir, given);
    const told: LogUpgrade[] = [];
    const { store, topics, close } = await open(dataDir, (upgrade) => told.push(upgrade));
    expect(told.map(({ moved, damaged, all }) => [moved, damaged, all])).toEqual([
      [64, 0, MANY],
      [128, 0, MANY],
      [MANY, 0, MANY],
    ]);
    expect(existsSync(join(dataDir, 'log.extents'))).toBe(false);
    for (const { topic, segment } of given) expect(store.topicRows.get(topic)?.equals(segment)).toBe(true);
    expect((await store.readStream('a')).length).toBe(1);
    let listed = 0;
    for await (const { manifest } of topics.list()) listed += manifest ? 1 : 0;
    expect(listed).toBe(MANY + 1);
    await close();
    await open(dataDir, () => expect.unreachable('there is nothing left to do'));
  });

  it('continues after a kill at any step, and loses nothing', { timeout: 120_000 }, async () => {
    const [earlier, dataDir] = [temporaryDirectory(), join(temporaryDirectory(), 'killed')];
    const given = Array.from({ length: SOME }, (_, n) => topicWith(`topic ${n} `, 1_000));
    await earlierLog(earlier, given);
    let steps = 0;
    for (let killed = true; killed; steps += 1) {
      cpSync(earlier, dataDir, { recursive: true });
      killed = killedAt(dataDir, steps + 1);
      const { store, close } = await open(dataDir);
      for (const { topic, segment } of given) expect(store.topicRows.get(topic)?.equals(segment), `step ${steps + 1}`).toBe(true);
      expect((await store.readStream('a')).length).toBe(1);
      expect(existsSync(join(dataDir, 'log.extents'))).toBe(false);
      await close();
      rmSync(dataDir, { recursive: true });
    }
    // Two for each statement and for the deletion: pragmas, two transactions, the last one, the file.
    expect(steps).toBeGreaterThanOrEqual(2 * (1 + 2 * 2 + 1 + 1));
  });

  it('leaves bytes of deleted topics in no file', async () => {
    const dataDir = temporaryDirectory();
    const given = Array.from({ length: 6 }, () => topicWith(SECRET));
    await earlierLog(dataDir, given);
    const { topics } = await open(dataDir);
    for (const { topic } of given) await topics.delete(topic);
    await topics.purge?.();
    for (const file of filesOf(dataDir)) expect([file, readFileSync(file).includes(SECRET)]).toEqual([file, false]);
  });

  it.each([
    ['are missing', (file: string) => rmSync(file)],
    ['end too early', (file: string) => truncateSync(file, 2 * EXTENT_BYTES + 100)],
    ['are those of another log', (file: string) => writeFileSync(file, readFileSync(file).subarray(1))],
  ])('reports topics as damaged whose bytes %s, and harms no other topic', async (_, damage) => {
    const dataDir = temporaryDirectory();
    const given = Array.from({ length: 3 }, (__, n) => topicWith(`topic ${n} `));
    await earlierLog(dataDir, given);
    damage(join(dataDir, 'log.extents'));
    let damaged = 0;
    const { topics } = await open(dataDir, (upgrade) => {
      damaged = upgrade.damaged;
    });
    const read = await Promise.allSettled(given.map(({ topic }) => readWhole(topics, topic)));
    expect(read.filter(({ status }) => status === 'rejected').length).toBe(damaged);
    expect(damaged).toBeGreaterThanOrEqual(2);
    for (const outcome of read) if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(TopicDamaged);
    const listed: boolean[] = [];
    for await (const { manifest } of topics.list()) listed.push(manifest !== null);
    expect(listed.filter(Boolean).length).toBe(1 + given.length - damaged);
    for (const { topic } of given) await topics.delete(topic);
  });

  it('is refused with a sentence if the disk has no room, and continues once there is some', async () => {
    const disk = smallDisk(40);
    if (!disk) return console.log('skipped: needs the right to mount');
    const given = Array.from({ length: MANY }, (_, n) => topicWith(`topic ${n} `));
    await earlierLog(disk.directory, given);
    const { bavail, bsize } = statfsSync(disk.directory);
    const ballast = join(disk.directory, 'ballast');
    for (const left of [2 * 1_048_576, 0]) {
      writeFileSync(ballast, Buffer.alloc(bavail * bsize - left));
      const before = readFileSync(join(disk.directory, 'log.extents'));
      const refused = open(disk.directory);
      await expect(refused).rejects.toBeInstanceOf(DataDirectoryRefused);
      await expect(refused).rejects.toThrow(
        left > 0
          ? /^The upgrade of .* needs 23 MiB on its disk, and 2 MiB are free: it moves 130 small uploads/
          : /log\.db cannot be opened/,
      );
      expect(readFileSync(join(disk.directory, 'log.extents')).equals(before)).toBe(true);
    }
    rmSync(ballast);
    const { store } = await open(disk.directory);
    for (const { topic, segment } of given) expect(store.topicRows.get(topic)?.equals(segment)).toBe(true);
  });

  it('is refused with a sentence if the disk fills meanwhile, and continues once there is room', async () => {
    const disk = smallDisk(40);
    if (!disk) return console.log('skipped: needs the right to mount');
    const given = Array.from({ length: MANY }, (_, n) => topicWith(`topic ${n} `));
    await earlierLog(disk.directory, given);
    const refused = open(disk.directory, disk.fill);
    await expect(refused).rejects.toBeInstanceOf(DataDirectoryRefused);
    await expect(refused).rejects.toThrow(/log\.db cannot be opened: .*full/);
    disk.free();
    const { store } = await open(disk.directory);
    for (const { topic, segment } of given) expect(store.topicRows.get(topic)?.equals(segment)).toBe(true);
  });

  it('logs its progress each second', async () => {
    const dataDir = temporaryDirectory();
    await earlierLog(
      dataDir,
      Array.from({ length: MANY }, (_, n) => topicWith(`topic ${n} `)),
    );
    writeFileSync(join(dataDir, 'format.json'), '{"format":1}');
    const logged: [object, string][] = [];
    const stores = await openEmbeddedStores({ ...storesOptions(dataDir, logged), clock: new HurriedClock() });
    await stores.close();
    const told = logged.map(([fields, message]) => [message, 'percent' in fields ? fields.percent : null]);
    expect(told).toEqual([
      ['upgrading the data directory', 49],
      ['upgrading the data directory', 98],
      ['upgrading the data directory', 100],
      ['data directory upgraded; earlier versions refuse it now', null],
    ]);
  });

  it("keeps every topic of an earlier version's data directory, says so once, and makes earlier versions refuse it", async () => {
    const dataDir = temporaryDirectory();
    unpackData(fixture(1), dataDir);
    const db = new DatabaseSync(join(dataDir, 'log.db'));
    const places = db.prepare('SELECT extent, topic, length FROM extents').all();
    db.close();
    expect(places.length).toBeGreaterThan(0);
    const extents = readFileSync(join(dataDir, 'log.extents'));
    const logged: [object, string][] = [];
    const start = () => openEmbeddedStores(storesOptions(dataDir, logged));
    const stores = await start();
    for (const { extent, topic, length } of places) {
      const at = Number(extent) * EXTENT_BYTES;
      const segment = extents.subarray(at, at + Number(length));
      const read = await readWhole(stores.topics, String(topic));
      expect(read.length).toBeGreaterThan(36_000);
      expect(segment.includes(read)).toBe(true);
    }
    await stores.close();
    await (await start()).close();
    expect(logged.map(([, message]) => message)).toEqual(['data directory upgraded; earlier versions refuse it now']);
    expect(JSON.parse(readFileSync(join(dataDir, 'format.json'), 'utf8'))).toEqual({ format: 2 });
    expect(existsSync(join(dataDir, 'log.extents'))).toBe(false);
  });

  it('ends at the next start if it was killed between the log and the version of the directory', async () => {
    const dataDir = temporaryDirectory();
    unpackData(fixture(1), dataDir);
    const { close } = await open(dataDir);
    await close();
    expect(JSON.parse(readFileSync(join(dataDir, 'format.json'), 'utf8'))).toEqual({ format: 1 });
    const logged: [object, string][] = [];
    const stores = await openEmbeddedStores(storesOptions(dataDir, logged));
    await stores.close();
    expect(logged.map(([, message]) => message)).toEqual(['data directory upgraded; earlier versions refuse it now']);
    expect(JSON.parse(readFileSync(join(dataDir, 'format.json'), 'utf8'))).toEqual({ format: 2 });
  });
});
