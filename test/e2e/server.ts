import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Backends, CLUSTER_ROLES, isClusterForm, startBackends } from './clusterForm.ts';
import { launch } from './launch.ts';

export const ADMIN_KEY = 'test-admin-key-0123456789abcdef-0123456789';
export const CLIENT_ID = 'test-client';
export const CLIENT_SECRET = 'test-client-secret-0123456789abcdef';

export interface RunningServer {
  readonly url: string;
  /** The addresses of all its processes, the first one above. */
  readonly nodes: readonly string[];
  readonly dataDir: string;
  /** Environment in which a `tributary` command finds its stores. */
  readonly environment: Readonly<Record<string, string>>;
  readonly process: ChildProcess;
  /** Everything written to stderr so far. */
  log(): string;
  /** Everything written to stdout so far. */
  output(): string;
  /** SIGINT; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL; resolves when it has ended. */
  kill(): Promise<void>;
}

export interface ServerOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: a fresh one that is removed after the test. */
  readonly dataDir?: string;
  /** A command that starts it, such as a tracer; it must leave the server its process. */
  readonly under?: readonly string[];
}

/** A real server that is ready: one process, or the processes of the cluster form. It is killed when the test has finished. */
export const startServer = async ({ environment = {}, dataDir, under = [] }: ServerOptions = {}): Promise<RunningServer> => {
  const directory = dataDir ?? freshDirectory();
  const common = await storesOf(directory);
  // A caller that names roles wants one node with those.
  const roles = isClusterForm && environment.ROLES === undefined ? CLUSTER_ROLES : [null];
  const launched = roles.map((role) => launch({ ...settings(common), ...environment, ...(role && { ROLES: role }) }, role ? [] : under));
  const kill = async () => void (await Promise.all(launched.map((one) => one.kill())));
  onTestFinishedIfTesting(kill);
  const [first] = launched;
  if (!first) throw new Error('a server has a process');
  const nodes = await Promise.all(launched.map(({ ready }) => ready));
  return {
    url: nodes[0] ?? '',
    nodes,
    dataDir: directory,
    environment: { PATH: process.env.PATH ?? '', ...common },
    process: first.process,
    log: () => launched.map((one) => one.log()).join(''),
    output: () => first.output(),
    stop: async () => {
      const codes = await Promise.all(launched.map((one) => one.stop()));
      return codes.find((code) => code !== 0) ?? codes[0] ?? null;
    },
    kill,
  };
};

/** The settings of the stores of a server with this data directory. */
export const storesOf = async (directory: string): Promise<Readonly<Record<string, string>>> => ({
  DATA_DIR: directory,
  ...(isClusterForm ? (await backendsOf(directory)).environment : {}),
});

/** Settings of every process in the tests. */
export const settings = (more: Readonly<Record<string, string>>): Readonly<Record<string, string | undefined>> => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  // Node keeps the compiled program here: a start takes a tenth less.
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/tributary/compiled'),
  PORT: '0',
  LOG_LEVEL: 'info',
  BOOTSTRAP_CLIENT_ID: CLIENT_ID,
  BOOTSTRAP_CLIENT_SECRET: CLIENT_SECRET,
  BOOTSTRAP_API_KEY: ADMIN_KEY,
  ...more,
});

/** In the cluster form the stores replace the data directory: a server that starts with the same one finds its data. */
const backends = new Map<string, Backends>();

const backendsOf = async (directory: string): Promise<Backends> => {
  const known = backends.get(directory);
  if (known) return known;
  const started = await startBackends();
  backends.set(directory, started);
  onTestFinishedIfTesting(async () => {
    backends.delete(directory);
    await started.eventStore.stop();
  });
  return started;
};

const freshDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'tributary-e2e-'));
  onTestFinishedIfTesting(async () => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

/** Servers shared by a suite are started in `beforeAll`, outside of a test: their suite stops them itself. */
const onTestFinishedIfTesting = (end: () => Promise<void>): void => {
  try {
    onTestFinished(end);
  } catch {
    process.once('exit', () => void end());
  }
};
