import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

export const ADMIN_KEY = 'test-admin-key-0123456789abcdef-0123456789';
export const CLIENT_ID = 'test-client';
export const CLIENT_SECRET = 'test-client-secret-0123456789abcdef';

export interface RunningServer {
  readonly url: string;
  readonly dataDir: string;
  readonly process: ChildProcess;
  /** All that it has written to stderr so far. */
  log(): string;
  /** All that it has written to stdout so far. */
  output(): string;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

export interface ServerOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: a fresh one that goes with the test. */
  readonly dataDir?: string;
  /** A command to start it under, such as a tracer; it must leave the server its process. */
  readonly under?: readonly string[];
}

/** A real server in a process of its own, ready to be asked. It is killed when the test has finished. */
export const startServer = async ({ environment = {}, dataDir, under = [] }: ServerOptions = {}): Promise<RunningServer> => {
  const directory = dataDir ?? freshDirectory();
  const [command = '', ...words] = [...under, process.execPath, 'bin/tributary.js', 'start'];
  const child = spawn(command, words, {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      DATA_DIR: directory,
      LOG_LEVEL: 'info',
      BOOTSTRAP_CLIENT_ID: CLIENT_ID,
      BOOTSTRAP_CLIENT_SECRET: CLIENT_SECRET,
      BOOTSTRAP_API_KEY: ADMIN_KEY,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const exited = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      output += `${line}\n`;
      const ready = /^tributary ready (http\S+)$/.exec(line);
      if (ready?.[1]) resolve(ready[1]);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready:\n${log}`)));
  });
  const gone = () => child.exitCode !== null || child.signalCode !== null;
  const kill = async () => {
    if (!gone()) child.kill('SIGKILL');
    await exited;
  };
  onTestFinishedIfTesting(kill);
  return {
    url,
    dataDir: directory,
    process: child,
    log: () => log,
    output: () => output,
    stop: async () => {
      if (!gone()) child.kill('SIGTERM');
      await exited;
      return child.exitCode;
    },
    kill,
  };
};

const freshDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'tributary-e2e-'));
  onTestFinishedIfTesting(async () => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

/** Servers that a suite shares are started in `beforeAll`, where there is no test to finish: their suite stops them itself. */
const onTestFinishedIfTesting = (end: () => Promise<void>): void => {
  try {
    onTestFinished(end);
  } catch {
    process.once('exit', () => void end());
  }
};
