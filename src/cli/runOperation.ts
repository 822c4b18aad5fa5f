import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { systemClock } from '../clock.ts';
import { readConfig } from '../config.ts';
import type { Json } from '../json.ts';
import { createLogging } from '../logging.ts';
import { openPlatform, type Platform } from '../platform.ts';
import { allProjections } from '../projections/all.ts';
import { holdsData } from '../stores/embeddedStores.ts';
import { callControlSocket, type Say } from './controlSocket.ts';
import { OPERATIONS, type OperationName, runOperation } from './operations.ts';

const controlSocketPath = (dataDir: string): string => join(dataDir, 'control.sock');

/**
 * Runs an operation where the data are: in the cluster form in this process, on the shared stores; otherwise in the server that owns the data directory
 * or, if none runs, in this process on the stopped data directory. Refuses a directory without data. Progress goes to stderr and output to
 * stdout, unless `say` overrides that. `besideServer` is called after a running server has done the work. Rejects with the operation's error.
 */
export const runWhereTheDataAre = async (
  operation: OperationName,
  input: Json,
  say: Say = terminal,
  besideServer: () => void = () => undefined,
): Promise<Json> => {
  const config = readConfig(process.env);
  if (config.eventstoreUrl === null) {
    const answer = await callControlSocket(controlSocketPath(config.dataDir), operation, input, say);
    if (answer !== null) {
      besideServer();
      return answer.result;
    }
    // Only `start` creates a data directory: a typing error must not.
    if (!holdsData(config.dataDir))
      throw new Error(
        `${resolve(config.dataDir)} contains no Tributary data. Set DATA_DIR to the data directory, or create one with tributary start.`,
      );
  }
  const platform = await openPlatform(config, { clock: systemClock, logger: createLogging({ level: 'warn' }) });
  const reading = new AbortController();
  try {
    if (OPERATIONS[operation].readsModels) await bringUpToDate(platform, reading.signal);
    return await runOperation(platform, operation, input, say);
  } finally {
    reading.abort();
    await platform.engine.finished();
    await platform.close();
  }
};

export const toStdout = async (text: string): Promise<void> => {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
};

const terminal: Say = { progress: (line) => void process.stderr.write(`${line}\n`), output: toStdout };

const MINUTE = 60_000;

const bringUpToDate = async ({ engine, log, readModels }: Platform, signal: AbortSignal): Promise<void> => {
  await engine.start(signal);
  await engine.whenReady(signal);
  const head = await log.head();
  const names = allProjections.map(({ name }) => name);
  if (head !== null && !(await readModels.waitFor(names, head, MINUTE)))
    throw new Error('The read models do not catch up with the log. tributary projections status says why.');
};
