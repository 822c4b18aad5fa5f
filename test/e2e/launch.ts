import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PROGRAM } from './tributary.ts';

/** A running `tributary start`. */
export interface Launched {
  readonly process: ChildProcess;
  /** Resolves with its address when it reports ready; rejects with its log if it ends before. */
  readonly ready: Promise<string>;
  log(): string;
  output(): string;
  /** SIGINT, which does not wait for requests on open connections; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL; resolves when it has ended. */
  kill(): Promise<void>;
}

export const launch = (
  environment: Readonly<Record<string, string | undefined>>,
  under: readonly string[] = [],
  options: readonly string[] = [],
): Launched => {
  const [command = '', ...words] = [...under, process.execPath, PROGRAM, 'start', ...options];
  const child = spawn(command, words, { env: { ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const exited = once(child, 'exit');
  const ready = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      output += `${line}\n`;
      const said = /^tributary ready (http\S+)$/.exec(line);
      if (said?.[1]) resolve(said[1]);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready:\n${log}`)));
  });
  // Unhandled rejections are ignored if nothing waits for it.
  ready.catch(() => undefined);
  const gone = () => child.exitCode !== null || child.signalCode !== null;
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    // A stopped process gets no further signal.
    if (!gone()) child.kill('SIGCONT');
    if (!gone()) child.kill(signal);
    await exited;
    return child.exitCode;
  };
  return {
    process: child,
    ready,
    log: () => log,
    output: () => output,
    stop: () => end('SIGINT'),
    kill: async () => void (await end('SIGKILL')),
  };
};
