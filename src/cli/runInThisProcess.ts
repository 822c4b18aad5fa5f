import { resolve } from 'node:path';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Json } from '../json.ts';
import { createLogging } from '../logging.ts';
import { openPlatform, type Platform } from '../platform.ts';
import { allProjections } from '../projections/all.ts';
import { urlOf } from '../serverUrl.ts';
import { holdsData } from '../stores/embeddedStores.ts';
import type { Say } from './controlSocket.ts';
import type { Operation } from './operation.ts';
import { OPERATIONS, type OperationName, runOperation } from './operations.ts';

/** Opens the stores, runs the operation on them and closes them. */
export const runInThisProcess = async (config: Config, operation: OperationName, input: Json, say: Say): Promise<Json> => {
  // Only `start` creates a data directory: a typing error must not.
  if (config.eventstoreUrl === null && !holdsData(config.dataDir))
    throw new Error(
      `${resolve(config.dataDir)} contains no Tributary data. Set DATA_DIR to the data directory, or create one with tributary start.`,
    );
  const platform = await openPlatform(config, { clock: systemClock, logger: createLogging({ level: 'warn' }) });
  const reading = new AbortController();
  try {
    const { readsModels, buildsModels }: Operation = OPERATIONS[operation];
    if (buildsModels) await platform.engine.start(reading.signal);
    if (readsModels) await bringUpToDate(platform, reading.signal);
    const publicUrl = config.publicUrl ?? urlOf(config.host, config.port);
    return await runOperation(platform, operation, input, say, { publicUrl, localUrl: null, isTemporary: true });
  } finally {
    reading.abort();
    await platform.engine.finished();
    await platform.close();
  }
};

const MINUTE = 60_000;

const bringUpToDate = async ({ engine, log, readModels }: Platform, signal: AbortSignal): Promise<void> => {
  await engine.start(signal);
  await engine.whenReady(signal);
  const head = await log.head();
  const names = allProjections.map(({ name }) => name);
  if (head !== null && !(await readModels.waitFor(names, head, MINUTE)))
    throw new Error('The read models do not catch up with the log. tributary projections status says why.');
};
