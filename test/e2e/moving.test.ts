import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { readConfig } from '../../src/config.ts';
import { EVENT_SCHEMAS } from '../../src/domain/eventSchemas.ts';
import { silentLogger } from '../../src/logger.ts';
import { exportLog } from '../../src/moving/exportLog.ts';
import { ImportClock, importLog } from '../../src/moving/importLog.ts';
import { openPlatform, openStores, type Platform } from '../../src/platform.ts';
import { allProjections } from '../../src/projections/all.ts';
import { DISK_ELSEWHERE } from '../../src/stores/diskSpace.ts';
import { openEmbeddedDocuments } from '../../src/stores/embedded/documents.ts';
import { openEmbeddedTopics } from '../../src/stores/embedded/topics.ts';
import { openEmbeddedStores } from '../../src/stores/embeddedStores.ts';
import type { EventStore, StoredEvent } from '../../src/stores/eventStore.ts';
import { verifyStore } from '../../src/stores/integrity/verifyStore.ts';
import { loadMasterKey } from '../../src/stores/keys/masterKey.ts';
import { openKeys } from '../../src/stores/keys/openKeys.ts';
import { aloneNode } from '../../src/stores/leases/nodes.ts';
import { openEventLog } from '../../src/stores/log/openEventLog.ts';
import type { Stores } from '../../src/stores/stores.ts';
import { digestOf } from '../digestOf.ts';
import { eventually } from '../eventually.ts';
import { startEventStoreDb } from '../fakes/eventStoreDb/startEventStoreDb.ts';
import { MemoryEventStore } from '../fakes/memoryEventStore.ts';
import { MemoryLeases } from '../fakes/memoryLeases.ts';
import { databaseName, fakeMongoIsHere, startMongo } from '../fakes/mongodb/start.ts';
import { Receiver } from '../receiver.ts';
import { call, PING_TEMPLATE, streamEnd, TEXT_TEMPLATE, upload } from './client.ts';
import { startServer } from './server.ts';
import { tributary } from './tributary.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const TEXT = 'The committee met on Monday. It decided to buy a red boat. The boat will be delivered in May.';
const environment = {
  SEAL_INTERVAL_S: '1',
  SEAL_EVENTS: '10',
  RETENTION_EPHEMERAL_S: '3600',
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  WEBHOOK_RETRY_BASE_MS: '600000',
};
const ENDPOINTS = '/notification-service/api/v1/webhook-endpoints';

let files = '';
let receiver: Receiver;
let textStream = '';
const at = (name: string) => join(files, name);

beforeAll(async () => {
  files = mkdtempSync(join(tmpdir(), 'tributary-moving-'));
  receiver = await Receiver.start();
  receiver.answerStatus('/later', 500);
  receiver.answerStatus('/dynamic', 500);
  const server = await startServer({ dataDir: at('source'), environment });
  for (const path of ['/told', '/later']) {
    const body = { url: receiver.url(path), events: ['stream.completed'], enabled: true };
    expect((await call(server.url, ENDPOINTS, { method: 'PUT', body })).status).toBe(200);
  }
  const query = { streamConfigurationTemplateId: TEXT_TEMPLATE, summary: 'true', persist: 'true' };
  textStream = (await upload(server.url, query, TEXT)).body.streamId;
  await streamEnd(server.url, textStream);
  const dynamic = { streamConfigurationTemplateId: PING_TEMPLATE, 'webhook.stream.completed': receiver.url('/dynamic') };
  await streamEnd(server.url, (await upload(server.url, dynamic, 'some bytes')).body.streamId);
  await eventually(() => receiver.at('/told').length === 2 && receiver.at('/later').length === 2 && receiver.at('/dynamic').length === 1);
  // The failed attempts are in the log.
  await eventually(async () => {
    const [{ body: list }] = [await call(server.url, ENDPOINTS)];
    const later = (list.content ?? list).find(({ url }: { url: string }) => url === receiver.url('/later'));
    const { body } = await call(server.url, `${ENDPOINTS}/${later.id}/deliveries?state=pending`);
    return body.content?.length === 2 && body.content.every(({ attempts }: { attempts: unknown[] }) => attempts.length === 1);
  });
  await server.stop();
});
afterAll(async () => {
  await receiver.close();
  rmSync(files, { recursive: true, force: true });
});

const platformOn = (dataDir: string): Promise<Platform> =>
  openPlatform(readConfig({ DATA_DIR: dataDir, ...environment }), { clock: systemClock, logger: silentLogger });

/** Documents of every read model except deliveries, whose facts are not moved. */
const digests = async (platform: Platform): Promise<Record<string, string>> => {
  const running = new AbortController();
  await platform.engine.start(running.signal);
  await platform.engine.whenReady(running.signal);
  const head = await platform.log.head();
  // An import leaves the facts of deliveries behind.
  const names = allProjections.map(({ name }) => name).filter((name) => !['deliveries', 'endpoints'].includes(name));
  if (head) expect(await platform.readModels.waitFor(names, head, 30_000)).toBe(true);
  const found = await Promise.all(
    names.map(async (name) => [name, await digestOf(platform.documents, platform.engine.served(name).collection)] as const),
  );
  running.abort();
  await platform.engine.finished();
  return Object.fromEntries(found);
};

/** The parts of a log that a move keeps. */
const keptOf = async (store: EventStore) => {
  const events: StoredEvent[] = await store.readAll({ after: null, limit: 100_000 });
  return events
    .filter(({ eventStream }) => !eventStream.startsWith('delivery-') && eventStream !== 'imports')
    .map(({ position, ...event }) => event);
};

const freshTarget = (name: string): string => {
  mkdirSync(at(name));
  cpSync(join(at('source'), 'master.key'), join(at(name), 'master.key'));
  return at(name);
};

/** A stopped data directory, without its read models. */
const copyData = (from: string, to: string): void =>
  cpSync(at(from), at(to), { recursive: true, filter: (name) => !name.includes('views.db') && !name.endsWith('control.sock') });

/** Bytes and times of all topics in an export. */
const topicsIn = (file: string): string[] =>
  readFileSync(at(file), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"topic"') || line.startsWith('{"frame"'));

const importing = async (stores: Stores, clock: ImportClock, file: string) => {
  const keys = await openKeys({ vault: stores.vault, masterKey: stores.masterKey, clock });
  const log = openEventLog({ store: stores.store, keys, schemas: EVENT_SCHEMAS, clock });
  const options = { file, windowMilliseconds: 60_000, onProgress: () => {} };
  const report = await importLog({ stores, clock, log, keys, logger: silentLogger }, options);
  return { report, keys, log };
};

/** Fails at the append with this number. */
const dyingAt = (store: EventStore, number: number): EventStore => {
  let appends = 0;
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name === 'append') {
        appends += 1;
        if (appends === number) throw new Error('killed');
      }
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
};

test('a log moves to other stores in several steps with ids, revisions, times, hashes and bytes, and its views are equal', async () => {
  const source = await platformOn(at('source'));
  // Of the corrections of a transcript.
  const correctionsKey = await source.keys.eventStreamKey('transcript-x', { create: true });
  const before = await digests(source);
  const kept = await keptOf(source.store);
  await exportLog(source, at('moved.ndjson'), () => {});
  await source.close();

  const config = readConfig({ DATA_DIR: freshTarget('target') });
  for (const number of [2, 3, 2]) {
    const clock = new ImportClock();
    const stores = await openEmbeddedStores({ ...config, clock, logger: silentLogger });
    await expect(importing({ ...stores, store: dyingAt(stores.store, number) }, clock, at('moved.ndjson'))).rejects.toThrow('killed');
    await stores.close();
  }
  const imported = await tributary(at('target'), ['import', at('moved.ndjson'), '--json']);
  expect([imported.code, imported.stderr]).toEqual([0, '']);
  expect(JSON.parse(imported.stdout)).toMatchObject({ events: kept.length, deliveries: 1 });
  // Repeating it changes nothing.
  expect((await tributary(at('target'), ['import', at('moved.ndjson')])).stdout).toContain('Chains and seals hold');

  const target = await platformOn(at('target'));
  expect(await keptOf(target.store)).toEqual(kept);
  expect(await target.store.readStream('imports')).toHaveLength(1);
  expect(await verifyStore(target)).toMatchObject({ ok: true });
  expect(await digests(target)).toEqual(before);
  expect(await target.keys.eventStreamKey('transcript-x', { create: false })).toEqual(correctionsKey);
  await target.close();
});

test('the new store sends pending deliveries under their old numbers, and repeats no sent ones', async () => {
  receiver.answerStatus('/later', 204);
  receiver.answerStatus('/dynamic', 204);
  const told = receiver.at('/told').length;
  const [failed] = [receiver.at('/later').slice(0, 2)];
  const server = await startServer({ dataDir: at('target'), environment });
  await eventually(() => receiver.at('/later').length === 4 && receiver.at('/dynamic').length === 2);
  const again = receiver.at('/later').slice(2);
  const named = (received: typeof again) =>
    received.map(({ headers, body }) => [headers['webhook-id'], headers['webhook-sequence'], body]).sort();
  expect(named(again)).toEqual(named(failed));
  expect(again.map(({ headers }) => headers['webhook-attempt'])).toEqual(['2', '2']);

  const { body } = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'next');
  await eventually(() => receiver.at('/told').length > told);
  expect(receiver.at('/told').slice(told)).toHaveLength(1);
  expect(receiver.at('/told').at(-1)?.event.payload.streamId).toBe(body.streamId);
  expect(receiver.at('/told').at(-1)?.headers['webhook-sequence']).toBe('3');
  expect((await call(server.url, `/export-service/api/v1/export/TEXT?streams=${textStream}`)).text).toContain('red boat');
  await server.stop();
  // The views are disposable: even without them, nothing is sent twice.
  copyData('target', 'viewless');
  const counts = () => ['/told', '/later', '/dynamic'].map((path) => receiver.at(path).length);
  const before = counts();
  const anew = await startServer({ dataDir: at('viewless'), environment });
  const { body: last } = await upload(anew.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'last');
  await streamEnd(anew.url, last.streamId);
  await eventually(() => counts().reduce((a, b) => a + b) >= before.reduce((a, b) => a + b) + 2);
  expect(counts()).toEqual([before[0] as number, before[1] as number, before[2] as number].map((n, i) => (i < 2 ? n + 1 : n)));
  await anew.stop();
});

test('a moved log can be moved again, through any store behind the port, and back', async () => {
  // This process had it open before the server.
  copyData('target', 'copied');
  const first = await platformOn(at('copied'));
  const kept = await keptOf(first.store);
  await exportLog(first, at('up.ndjson'), () => {});
  await first.close();

  const clock = new ImportClock();
  mkdirSync(at('between'));
  const masterKey = loadMasterKey({ setting: undefined, dataDir: at('source'), create: false });
  const documents = await openEmbeddedDocuments({ file: at('between/views.db'), durability: 'NORMAL' });
  const stores: Stores = {
    store: new MemoryEventStore(),
    documents,
    leases: new MemoryLeases(),
    nodes: aloneNode,
    vault: await openEmbeddedDocuments({ file: at('between/vault.db'), durability: 'NORMAL' }),
    topics: await openEmbeddedTopics({ directory: at('between/topics'), clock }),
    objectStorage: null,
    disk: DISK_ELSEWHERE,
    masterKey,
    exclusive: true,
    workDirectory: at('between'),
    close: async () => {},
  };
  const { keys, log } = await importing(stores, clock, at('up.ndjson'));
  expect(await keptOf(stores.store)).toEqual(kept);
  await exportLog({ ...stores, log, keys, clock: systemClock }, at('back.ndjson'), () => {});
  expect(topicsIn('back.ndjson')).toEqual(topicsIn('up.ndjson'));
  for (const opened of [stores.documents, stores.vault, stores.topics]) await opened.close();

  const config = readConfig({ DATA_DIR: freshTarget('back') });
  const backClock = new ImportClock();
  const back = await openEmbeddedStores({ ...config, clock: backClock, logger: silentLogger });
  await importing(back, backClock, at('back.ndjson'));
  expect(await keptOf(back.store)).toEqual(kept);
  // One for each move.
  expect(await back.store.readStream('imports')).toHaveLength(3);
  await back.close();
});

test('a log moves from the embedded form to the cluster form and back, with equal views, and verifies', async ({ skip }) => {
  if (!(await fakeMongoIsHere())) skip('needs Go');
  const [eventStoreDb, mongo] = await Promise.all([startEventStoreDb(), startMongo()]);
  onTestFinished(async () => {
    await Promise.all([eventStoreDb.stop(), mongo.stop()]);
  });
  const MASTER_KEY = readFileSync(join(at('source'), 'master.key'), 'utf8').trim();
  const cluster = { EVENTSTORE_URL: eventStoreDb.url, MONGODB_URL: mongo.url + databaseName(), MASTER_KEY };
  const config = readConfig({ DATA_DIR: at('node'), ...cluster, ...environment });
  // Interrupted and continued, with a store that hesitates.
  const clock = new ImportClock();
  const stores = await openStores(config, { clock, logger: silentLogger });
  await expect(importing({ ...stores, store: dyingAt(stores.store, 5) }, clock, at('moved.ndjson'))).rejects.toThrow('killed');
  await stores.close();
  await eventStoreDb.faults({ dropAfterCommit: 2 });
  const up = await tributary(at('node'), ['import', at('moved.ndjson')], cluster);
  expect([up.code, up.stdout]).toEqual([0, expect.stringContaining('Chains and seals hold')]);

  copyData('source', 'origin');
  const origin = await platformOn(at('origin'));
  const [kept, views] = [await keptOf(origin.store), await digests(origin)];
  await origin.close();
  const platform = await openPlatform(config, { clock: systemClock, logger: silentLogger });
  expect(await keptOf(platform.store)).toEqual(kept);
  expect(await digests(platform)).toEqual(views);
  expect(await verifyStore(platform)).toMatchObject({ ok: true });
  // Both imports have left. A server removes them.
  expect((await platform.nodes.gone()).map(({ roles }) => roles)).toEqual([['import'], ['import']]);
  await platform.close();

  expect((await tributary(at('node'), ['export', at('down.ndjson')], cluster)).code).toBe(0);
  expect(topicsIn('down.ndjson').length).toBeGreaterThan(4);
  expect(topicsIn('down.ndjson')).toEqual(topicsIn('moved.ndjson'));
  expect((await tributary(freshTarget('home'), ['import', at('down.ndjson')])).stdout).toContain('Chains and seals hold');
  const home = await platformOn(at('home'));
  expect(await keptOf(home.store)).toEqual(kept);
  expect(await digests(home)).toEqual(views);
  await home.close();
});

test('an export beside a running server warns that it lacks later changes', async () => {
  const server = await startServer({ dataDir: at('served') });
  const beside = await tributary(at('served'), ['export', at('beside.ndjson')]);
  expect([beside.code, beside.stderr]).toEqual([0, expect.stringContaining('Warning: a server is running on these data')]);
  await server.stop();
  const alone = await tributary(at('served'), ['export', at('alone.ndjson')]);
  expect([alone.code, alone.stderr]).toEqual([0, expect.not.stringContaining('Warning')]);
});

test('an export leaves out topics whose bytes are lost, and says how many', async () => {
  cpSync(at('source'), at('lost'), { recursive: true });
  const log = new DatabaseSync(join(at('lost'), 'log.db'));
  const { changes } = log.prepare('UPDATE topics SET segment = zeroblob(0)').run();
  log.close();
  const { code, stdout } = await tributary(at('lost'), ['export', at('lost.ndjson')]);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`\n${changes} topics are damaged and not in the export.\n`)]);
  const settings = { MASTER_KEY: readFileSync(join(at('lost'), 'master.key'), 'utf8').trim() };
  expect((await tributary(at('without'), ['import', at('lost.ndjson')], settings)).code).toBe(0);
});

test.each([
  ['into stores that hold something else', 'source', 'moved.ndjson', {}, 'not of this export'],
  ['with another master key', 'fresh1', 'moved.ndjson', { MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }, 'another master key'],
  ['without a master key', 'fresh2', 'moved.ndjson', {}, 'MASTER_KEY'],
  ['of a damaged file', 'fresh3', 'damaged.ndjson', { MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }, 'damaged'],
  ['of something else', 'fresh4', 'else.ndjson', { MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }, 'not an export'],
])('an import %s is refused', async (_, target, file, settings, said) => {
  writeFileSync(at('damaged.ndjson'), readFileSync(at('moved.ndjson'), 'utf8').replace('StreamCompleted', 'StreamCompletee'));
  writeFileSync(at('else.ndjson'), '{"something":"else"}\n');
  appendFileSync(at('else.ndjson'), 'x');
  const { code, stderr } = await tributary(at(target), ['import', at(file)], settings);
  expect([code > 0, stderr]).toEqual([true, expect.stringContaining(said)]);
});
