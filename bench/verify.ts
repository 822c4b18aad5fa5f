import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../src/clock.ts';
import { readConfig } from '../src/config.ts';
import { silentLogger } from '../src/logger.ts';
import { openPlatform } from '../src/platform.ts';
import { runSealingPolicy } from '../src/policies/sealing.ts';
import { prepareRows } from '../src/stores/embedded/sqlite.ts';
import { verifyStore } from '../src/stores/integrity/verifyStore.ts';
import { fillLog } from './fillLog.ts';
import { defineBench } from './frame.ts';
import { benchDirectory } from './serverProcess.ts';

/** Streams in the log, each with its group nine or ten events. */
const STREAMS = { short: 4_000, full: 21_000 };
const PAGE = 500;

/** Reads all columns of every event, and hashes the same bytes. */
const bare = (log: string, events: number): number => {
  const reader = new DatabaseSync(log, { readOnly: true });
  const select = prepareRows(
    reader,
    'SELECT position, event_stream, revision, id, type, metadata, data FROM events WHERE position > ? ORDER BY position LIMIT ?',
  );
  const began = performance.now();
  for (let after = 0; ; ) {
    const page = select.all(after, PAGE) as [number, string, number, string, string, string, string][];
    for (const [, eventStream, revision, id, type, metadata, data] of page)
      createHash('sha256').update(`${eventStream}${revision}${id}${type}${metadata}${data}`).digest('hex');
    after = page.at(-1)?.[0] ?? after;
    if (page.length < PAGE) break;
  }
  const rate = (events * 1_000) / (performance.now() - began);
  reader.close();
  return rate;
};

/** Hash chains and seals of the whole log, compared with reading and hashing the same bytes. */
export const verify = defineBench({
  name: 'verify',
  bar: 0.5,
  run: async (compare, { full }) => {
    const directory = benchDirectory();
    const { events } = await fillLog(directory, full ? STREAMS.full : STREAMS.short);
    const platform = await openPlatform(readConfig({ DATA_DIR: directory }), { clock: systemClock, logger: silentLogger });
    const stopping = new AbortController();
    const sealing = runSealingPolicy({ ...platform, events: 10_000, seconds: 1 }, stopping.signal);
    while ((await verifyStore(platform)).sealed === null) await systemClock.pause(500);
    stopping.abort();
    await sealing;
    const ours = async (): Promise<number> => {
      const began = performance.now();
      const { ok, checked } = await verifyStore(platform);
      if (!ok) throw new Error('the log does not verify');
      return (checked * 1_000) / (performance.now() - began);
    };
    await compare(`${events.toLocaleString('en')} events`, {
      unit: 'events/s',
      ours,
      baseline: async () => bare(join(directory, 'log.db'), events),
    });
    await platform.close();
  },
});
