import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Db } from 'mongodb';
import { systemClock } from '../src/clock.ts';
import { readConfig } from '../src/config.ts';
import { silentLogger } from '../src/logger.ts';
import { openPlatform, type Platform } from '../src/platform.ts';
import { allProjections } from '../src/projections/all.ts';
import { openProjectionEngine } from '../src/projections/engine/projectionEngine.ts';
import type { Documents } from '../src/stores/documents.ts';
import { prepareRows } from '../src/stores/embedded/sqlite.ts';
import { openLoneLeases } from '../src/stores/leases/loneLeases.ts';
import { type Mongo, openMongo } from '../src/stores/mongodb/connection.ts';
import { type DocumentRecord, recordOf } from '../src/stores/mongodb/documentForm.ts';
import { openMongoDocuments } from '../src/stores/mongodb/documents.ts';
import { fillLog } from './fillLog.ts';
import { defineBench } from './frame.ts';
import { withMongo } from './mongoServer.ts';
import { benchDirectory } from './serverProcess.ts';

/** With fewer, the start and end of a rebuild dominate. */
const STREAMS = { short: 1_500, full: 4_000 };
const PAGE = 500;

/** A rebuild's requests to the documents, in order for each read model: the ids read, or the stored form of what is written. */
type Asked =
  | { readonly kind: 'read'; readonly ids: readonly string[] }
  | { readonly kind: 'write'; readonly records: readonly DocumentRecord[] };

/** Records the requests. */
const recording = (documents: Documents, asked: Map<string, Asked[]>): Documents => {
  const note = (collection: string, one: Asked) => asked.set(collection, [...(asked.get(collection) ?? []), one]);
  return new Proxy(documents, {
    get: (target, member) => {
      const value: unknown = Reflect.get(target, member);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        const [collection, list] = given;
        if (typeof collection === 'string' && Array.isArray(list) && list.length > 0) {
          if (member === 'getMany') note(collection, { kind: 'read', ids: list });
          if (member === 'writeBatch')
            note(collection, { kind: 'write', records: list.map(({ id, position, body }) => ({ _id: id, ...recordOf(position, body) })) });
        }
        return value.apply(target, given);
      };
    },
  });
};

/** An engine over the log of `platform`, with its documents in MongoDB. */
const openEngine = async ({ log }: Platform, documents: Documents) => {
  const leases = await openLoneLeases({ documents, clock: systemClock, holder: 'bench' });
  const deps = { log, documents, leases, clock: systemClock, logger: silentLogger, projections: allProjections };
  const engine = await openProjectionEngine(deps);
  const working = new AbortController();
  await engine.start(working.signal);
  const close = async (): Promise<void> => {
    working.abort();
    await engine.finished();
    await leases.close();
  };
  return { engine, close };
};

const rebuildAll = async (engine: Awaited<ReturnType<typeof openEngine>>['engine'], events: number): Promise<number> => {
  const began = performance.now();
  await engine.rebuild('all');
  return (events * 1_000) / (performance.now() - began);
};

/** Reads and parses the log, then makes the rebuild's requests on fresh collections, with only the driver. */
const bare = async (log: string, database: Db, asked: ReadonlyMap<string, readonly Asked[]>, events: number): Promise<number> => {
  const round = randomUUID();
  const reader = new DatabaseSync(log, { readOnly: true });
  const select = prepareRows(reader, 'SELECT position, metadata, data FROM events WHERE position > ? ORDER BY position LIMIT ?');
  const began = performance.now();
  for (let after = 0; ; ) {
    const page = select.all(after, PAGE) as [number, string, string][];
    for (const [, metadata, data] of page) parsed = [JSON.parse(metadata), JSON.parse(data)];
    after = page.at(-1)?.[0] ?? after;
    if (page.length < PAGE) break;
  }
  const one = async ([name, calls]: [string, readonly Asked[]]): Promise<void> => {
    const there = new Set<string>();
    const collection = database.collection<DocumentRecord>(`${round}.${name}`);
    for (const call of calls) {
      if (call.kind === 'read') await collection.find({ _id: { $in: [...call.ids] } }).toArray();
      else {
        const operations = call.records.map(({ _id, position, body, keys }) => {
          const replacement = { position, body, keys };
          if (there.has(_id)) return { replaceOne: { filter: { _id, position: { $lt: position } }, replacement } };
          there.add(_id);
          return { insertOne: { document: { _id, ...replacement } } };
        });
        await collection.bulkWrite(operations, { ordered: false });
      }
    }
  };
  await Promise.all([...asked].map(one));
  const rate = (events * 1_000) / (performance.now() - began);
  reader.close();
  for (const [name] of asked) await database.collection(`${round}.${name}`).drop();
  return rate;
};

/** Kept, so that the parsing is not optimised away. */
let parsed: unknown[] = [];

const compareOn = async (mongo: Mongo, platform: Platform, events: number) => {
  const asked = new Map<string, Asked[]>();
  const documents = await openMongoDocuments({ mongo, prefix: 'views' });
  const noted = await openEngine(platform, recording(documents, asked));
  await noted.engine.rebuild('all');
  await noted.close();
  const { engine, close } = await openEngine(platform, documents);
  const log = join(platform.config.dataDir, 'log.db');
  const written = [...asked.values()].flat().reduce((sum, one) => sum + (one.kind === 'write' ? one.records.length : 0), 0);
  return {
    unit: 'events/s',
    rounds: 5,
    // The time of a test server says little about our own.
    bar: process.env.MONGODB_URL ? 0.5 : null,
    ours: () => rebuildAll(engine, events),
    baseline: () => bare(log, mongo.database, asked, events),
    notes: () => ({ written, parsed: parsed.length }),
    close,
  };
};

/**
 * All read models from zero in MongoDB (`MONGODB_URL`, otherwise FerretDB, for which the bar does not apply), compared with the same reads and bulk
 * writes alone.
 */
export const rebuildMongo = defineBench({
  name: 'rebuild-mongo',
  bar: 0.5,
  run: (compare, { full }) =>
    withMongo('rebuild-mongo', async (url, product) => {
      const directory = benchDirectory();
      const { events } = await fillLog(directory, full ? STREAMS.full : STREAMS.short);
      const platform = await openPlatform(readConfig({ DATA_DIR: directory }), { clock: systemClock, logger: silentLogger });
      const mongo = await openMongo({ url, logger: silentLogger });
      const { close, ...contest } = await compareOn(mongo, platform, events);
      await compare(`${events.toLocaleString('en')} events, ${product}`, contest);
      await close();
      await mongo.close();
      await platform.close();
    }),
});
