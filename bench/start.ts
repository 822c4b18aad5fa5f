import { join } from 'node:path';
import { fillLog } from './fillLog.ts';
import { defineBench } from './frame.ts';
import { benchDirectory, startTributary } from './serverProcess.ts';

/** Streams in the log, each with its group nine or ten events. */
const STREAMS = { short: 4_000, full: 100_000 };
/** For a directory that does not exist yet. */
const FRESH_BAR_SECONDS = 1;

/** The rate that corresponds to one start's duration. */
const startOn = async (dataDir: string, environment: Readonly<Record<string, string>>): Promise<number> => {
  const server = await startTributary(dataDir, environment);
  await server.stop();
  return 1 / server.startSeconds;
};

/** From the start of the process to ready: with a long log, compared with a log that holds only the events of a first start. */
export const start = defineBench({
  name: 'start',
  bar: 0.67,
  run: async (compare, { full }) => {
    const directory = benchDirectory();
    const long = join(directory, 'long');
    const empty = join(directory, 'empty');
    const { events } = await fillLog(long, full ? STREAMS.full : STREAMS.short);
    // Nothing must expire during the measurement.
    const environment = { RETENTION_EPHEMERAL_S: '1000000' };
    // Builds the read models and brings the policies to the head of the log.
    const first = await startTributary(long, environment);
    await first.idle();
    await first.stop();
    const fresh: number[] = [];
    let starts = 0;
    const freshStart = async () => {
      starts += 1;
      fresh.push(1 / (await startOn(join(directory, `fresh-${starts}`), {})));
    };
    await compare(`${events.toLocaleString('en')} events`, {
      unit: 'starts/s',
      ours: () => startOn(long, environment),
      baseline: async () => {
        await freshStart();
        return startOn(empty, environment);
      },
      notes: () => {
        const median = fresh.sort((a, b) => a - b)[fresh.length >> 1] ?? Number.NaN;
        return { 'empty directory': `${median.toFixed(2)} s (bar ${FRESH_BAR_SECONDS})` };
      },
    });
  },
});
