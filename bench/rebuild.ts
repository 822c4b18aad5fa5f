import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../src/clock.ts';
import { readConfig } from '../src/config.ts';
import { silentLogger } from '../src/logger.ts';
import { openPlatform, type Platform } from '../src/platform.ts';
import { allProjections } from '../src/projections/all.ts';
import { prepareRows } from '../src/stores/embedded/sqlite.ts';
import { fillLog } from './fillLog.ts';
import { defineBench } from './frame.ts';
import { serveWhileRebuilding } from './rebuildServing.ts';
import { benchDirectory } from './serverProcess.ts';

/** Streams in the log, each with its group nine or ten events. */
const STREAMS = { short: 4_000, full: 21_000 };
const PAGE = 500;

interface Written {
  readonly name: string;
  readonly indexes: readonly (readonly string[])[];
  /** `[id, position, body]`, identical to the documents of the rebuild. */
  readonly rows: readonly (readonly [string, string, string])[];
}

/** Events per second of all read models from zero, in parallel. */
const rebuildAll = async (platform: Platform, events: number): Promise<number> => {
  const began = performance.now();
  await platform.engine.rebuild('all');
  return (events * 1_000) / (performance.now() - began);
};

const writtenBy = async ({ engine, documents: stored }: Platform): Promise<Written[]> => {
  const written: Written[] = [];
  for (const { name, indexes } of allProjections) {
    const documents = await stored.find(engine.served(name).collection, { limit: 10_000_000 });
    written.push({ name, indexes, rows: documents.map(({ id, position, body }) => [id, position, JSON.stringify(body)]) });
  }
  return written;
};

/** Reads and parses every event of the log, and writes the same number of documents of the same size into tables of the same form, page by page. */
const bare = (log: string, file: string, written: readonly Written[], events: number): number => {
  const reader = new DatabaseSync(log, { readOnly: true });
  const views = new DatabaseSync(file);
  views.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  const inserts = written.map(({ name, indexes }) => {
    views.exec(`DROP TABLE IF EXISTS "${name}"; CREATE TABLE "${name}" (id TEXT PRIMARY KEY NOT NULL, position TEXT NOT NULL, body TEXT)`);
    for (const [n, members] of indexes.entries())
      views.exec(
        `CREATE INDEX "${name}${n}" ON "${name}" (${members.map((member) => `json_extract(body, '$.${member}')`).join(', ')}, id)`,
      );
    return views.prepare(`INSERT OR REPLACE INTO "${name}" VALUES (?, ?, ?)`);
  });
  const select = prepareRows(reader, 'SELECT position, metadata, data FROM events WHERE position > ? ORDER BY position LIMIT ?');
  const began = performance.now();
  let read = 0;
  for (let after = 0; ; ) {
    const page = select.all(after, PAGE) as [number, string, string][];
    for (const [, metadata, data] of page) parsed = [JSON.parse(metadata), JSON.parse(data)];
    const before = read;
    read += page.length;
    views.exec('BEGIN IMMEDIATE');
    for (const [n, { rows }] of written.entries()) {
      const at = (count: number) => Math.floor((count / events) * rows.length);
      for (const row of rows.slice(at(before), at(read))) inserts[n]?.run(...row);
    }
    views.exec('COMMIT');
    after = page.at(-1)?.[0] ?? after;
    if (page.length < PAGE) break;
  }
  const rate = (events * 1_000) / (performance.now() - began);
  views.close();
  reader.close();
  return rate;
};

/** Kept, so that the parsing is not optimised away. */
let parsed: unknown[] = [];

/** All read models from zero, compared with reading and parsing the same log and writing the same number of documents in bulk. */
export const rebuild = defineBench({
  name: 'rebuild',
  bar: 0.5,
  run: async (compare, { full }) => {
    const directory = benchDirectory();
    const { events, streamIds } = await fillLog(directory, full ? STREAMS.full : STREAMS.short);
    const platform = await openPlatform(readConfig({ DATA_DIR: directory }), { clock: systemClock, logger: silentLogger });
    const stopping = new AbortController();
    await platform.engine.start(stopping.signal);
    await platform.engine.whenReady();
    stopping.abort();
    await platform.engine.finished();
    await platform.close();
    // Like the command line on a stopped data directory.
    const stopped = await openPlatform(readConfig({ DATA_DIR: directory }), { clock: systemClock, logger: silentLogger });
    const written = await writtenBy(stopped);
    const working = new AbortController();
    await stopped.engine.start(working.signal);
    await compare(`${events.toLocaleString('en')} events`, {
      unit: 'events/s',
      rounds: 5,
      ours: () => rebuildAll(stopped, events),
      baseline: async () => bare(join(directory, 'log.db'), join(directory, 'bare.db'), written, events),
      notes: () => ({ documents: written.reduce((sum, { rows }) => sum + rows.length, 0), parsed: parsed.length }),
    });
    working.abort();
    await stopped.engine.finished();
    await stopped.close();
    await serveWhileRebuilding(compare, directory, streamIds);
  },
});
