import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { CommandCounts } from './commandProbe.ts';
import type { Watched } from './loopProbe.ts';
import type { Ran } from './restProfile.ts';

/** Most processor time of an idle server in half a second. */
const REST_MILLISECONDS = 50;
const CLIENT_ID = 'bench';
const SECRET = randomBytes(24).toString('hex');
const PROBE = new URL('./loopProbe.js', import.meta.url);
const COMMAND_PROBE = new URL('./commandProbe.js', import.meta.url);
// Benches run from dist-bench/bench.
const PROGRAM = fileURLToPath(new URL('../../bin/tributary.js', import.meta.url));
const JOB_QUEUE = fileURLToPath(new URL('./intake/jobQueueServer.js', import.meta.url));
const BARE = fileURLToPath(new URL('./bareServer.js', import.meta.url));

/** A measured server, in its own process. */
export interface MeasuredServer {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process to its first output. */
  readonly startSeconds: number;
  watch(): Promise<void>;
  /** Figures since `watch`. */
  tell(): Promise<Watched>;
  /** What runs in its main thread for this long. */
  profiled(milliseconds: number): Promise<Ran>;
  /** Commands to MongoDB since the start, by `<command> <collection>`. For a server of `startCounted`. */
  commands(): Promise<CommandCounts>;
  /** Resolves when the server is idle: half a second with almost no work. */
  idle(): Promise<void>;
  /** SIGTERM; resolves when it has ended. */
  stop(): Promise<void>;
}

const directories: string[] = [];

/** A directory that is removed at the end of the bench. */
export const benchDirectory = (): string => {
  if (directories.length === 0)
    process.once('exit', () => {
      for (const directory of directories) rmSync(directory, { recursive: true, force: true });
    });
  const directory = mkdtempSync(join(tmpdir(), 'tributary-bench-'));
  directories.push(directory);
  return directory;
};

/** The platform as users start it, with its log in a file beside its data. */
export const startTributary = (
  dataDir: string,
  environment: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<MeasuredServer> =>
  start([...flags, ...benchFlags(), PROGRAM, 'start'], `${dataDir}.log`, {
    PORT: '0',
    DATA_DIR: dataDir,
    BOOTSTRAP_CLIENT_ID: CLIENT_ID,
    BOOTSTRAP_CLIENT_SECRET: SECRET,
    ...environment,
  });

/** Flags of node for the platform's process, such as `--cpu-prof`. */
const benchFlags = (): string[] => (process.env.BENCH_NODE_FLAGS ?? '').split(' ').filter((flag) => flag !== '');

/** The same on stores that are servers, with its commands to MongoDB counted. */
export const startCounted = (dataDir: string, environment: Readonly<Record<string, string>> & { MONGODB_URL: string }) => {
  const { MONGODB_URL: url } = environment;
  const monitored = `${url}${url.includes('?') ? '&' : '?'}monitorCommands=true`;
  return startTributary(dataDir, { ...environment, MONGODB_URL: monitored }, [`--import=${COMMAND_PROBE}`]);
};

/** The baseline: `bareServer.ts` in the given mode. */
export const startBare = (
  mode: 'upload' | 'read' | 'echo',
  directory: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<MeasuredServer> => start([BARE, mode, directory], `${directory}.bare.log`, environment);

/** What a user would build instead: `intake/jobQueueServer.ts`. */
export const startJobQueue = (directory: string, environment: Readonly<Record<string, string>>): Promise<MeasuredServer> =>
  start([JOB_QUEUE, directory], `${directory}.log`, environment);

/** An access token of the bench's own client, an admin. */
export const accessToken = async (url: string): Promise<string> => {
  const response = await fetch(`${url}/realms/tributary/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: SECRET }),
  });
  const answer: unknown = await response.json();
  if (typeof answer === 'object' && answer && 'access_token' in answer) return String(answer.access_token);
  throw new Error(`no token: ${JSON.stringify(answer)}`);
};

/** A new user, as the value of an `authorization` header. `authorization` is an admin's. */
export const newUser = async ({ url }: MeasuredServer, authorization: string): Promise<string> => {
  const response = await fetch(`${url}/credential-service/api/v1/credentials`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'api-key', role: 'user', label: 'bench' }),
  });
  const answer: unknown = await response.json();
  if (typeof answer === 'object' && answer && 'secret' in answer) return `Basic ${String(answer.secret)}`;
  throw new Error(`no user: ${JSON.stringify(answer)}`);
};

const start = async (
  command: readonly string[],
  logFile: string,
  environment: Readonly<Record<string, string>>,
): Promise<MeasuredServer> => {
  const log = openSync(logFile, 'w');
  const { PATH = '', HOME = '' } = process.env;
  const began = performance.now();
  const child = spawn(process.execPath, [`--import=${PROBE}`, ...command], {
    // The program sets it too, but loading the probe, an ES module, starts the pool earlier. The baseline gets the same.
    env: { PATH, HOME, NODE_ENV: 'production', UV_THREADPOOL_SIZE: '16', ...environment },
    stdio: ['ignore', 'pipe', log, 'ipc'],
  });
  closeSync(log);
  // If the bench fails, the server does not keep running.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const url = await readyAt(child, logFile);
  const startSeconds = (performance.now() - began) / 1000;
  const exited = once(child, 'exit');
  const ask = async (message: string): Promise<unknown> => {
    const answer = once(child, 'message');
    child.send(message);
    return (await answer)[0];
  };
  // Sent by our own probe.
  const tell = async () => (await ask('tell')) as Watched;
  const cpu = async () => (await tell()).cpuMilliseconds;
  return {
    url,
    pid: child.pid ?? 0,
    startSeconds,
    watch: async () => {
      await ask('watch');
    },
    tell,
    profiled: async (milliseconds) => {
      await ask('profile');
      // The profile covers this time.
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      // It comes from our own probe.
      return (await ask('profiled')) as Ran;
    },
    // It comes from our own probe.
    commands: async () => (await ask('commands')) as CommandCounts,
    idle: async () => {
      for (let before = await cpu(), worked = Number.POSITIVE_INFINITY; worked > REST_MILLISECONDS; ) {
        await new Promise((resolve) => setTimeout(resolve, 500));
        const now = await cpu();
        worked = now - before;
        before = now;
      }
    },
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
};

/** Resolves with the address in the ready line. */
const readyAt = (child: ChildProcess, logFile: string): Promise<string> =>
  new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready:\n${readFileSync(logFile, 'utf8')}`)));
    if (!child.stdout) return reject(new Error('no stdout'));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = / ready (http\S+)$/.exec(line)?.[1];
      if (url) resolve(url);
    });
  });
