import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import { readConfig } from '../config.ts';
import type { Json } from '../json.ts';
import { createLogging } from '../logging.ts';
import { openPlatform, type Platform } from '../platform.ts';
import { allProjections } from '../projections/all.ts';
import { callControlSocket } from './controlSocket.ts';
import { OPERATIONS, type OperationName, runOperation } from './operations.ts';

export const controlSocketPath = (dataDir: string): string => join(dataDir, 'control.sock');

/**
 * Runs an operation where the data are: in the server that owns the data directory when one is running, else here, on the stopped data
 * directory. Progress goes to stderr. Rejects with what the operation says.
 */
export const runWhereTheDataAre = async (operation: OperationName, input: Json): Promise<Json> => {
  const config = readConfig(process.env);
  const onProgress = (line: string) => void process.stderr.write(`${line}\n`);
  const answer = await callControlSocket(controlSocketPath(config.dataDir), operation, input, onProgress);
  if (answer !== null) return answer.result;
  const platform = await openPlatform(config, { clock: systemClock, logger: createLogging({ level: 'warn' }) });
  const views = new AbortController();
  try {
    if (OPERATIONS[operation].readsViews) await bringUpToDate(platform, views.signal);
    return await runOperation(platform, operation, input, onProgress);
  } finally {
    views.abort();
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
    throw new Error('The read models do not catch up with the log: tributary projections status says why.');
};
