import { once } from 'node:events';
import { join } from 'node:path';
import { readConfig } from '../config.ts';
import type { Json } from '../json.ts';
import { callControlSocket, type Say } from './controlSocket.ts';
import type { OperationName } from './operations.ts';

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
  }
  const { runInThisProcess } = await import('./runInThisProcess.ts');
  return runInThisProcess(config, operation, input, say);
};

export const toStdout = async (text: string | Uint8Array): Promise<void> => {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
};

const terminal: Say = { progress: (line) => void process.stderr.write(`${line}\n`), output: toStdout };
