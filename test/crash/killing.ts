import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type RunningServer, type ServerOptions, startServer } from '../e2e/server.ts';

/** A moment in the server's work, as the system call that it never gets to make. */
interface KillPoint {
  readonly name: string;
  readonly calls: string;
  /** Below the data directory; none: whatever the call is on. */
  readonly file?: string;
  /** At most so many of these calls are let through first. */
  readonly within: number;
}

export const KILL_POINTS: readonly KillPoint[] = [
  { name: 'while the log is written', calls: 'pwrite64', file: 'log.db-wal', within: 1500 },
  { name: 'before the log is synced', calls: 'fsync,fdatasync', file: 'log.db-wal', within: 120 },
  { name: 'before an answer is sent', calls: 'writev', within: 150 },
  { name: 'before uploaded bytes are synced', calls: 'fdatasync', within: 60 },
  { name: 'while read models are written', calls: 'pwrite64', file: 'views.db-wal', within: 800 },
  { name: 'before the vault is synced', calls: 'fsync,fdatasync', file: 'vault.db-wal', within: 4 },
  { name: 'before any sync', calls: 'fsync,fdatasync', within: 200 },
];

/** Whether servers can be started under a tracer here. */
export const canTrace = (): boolean => spawnSync('strace', ['-f', '--seccomp-bpf', '-o', '/dev/null', 'true']).status === 0;

const RANDOM_MILLISECONDS = [300, 2500] as const;
/** A point that is not come to in this time was not on the way: the server is killed where it is. */
const PATIENCE_MILLISECONDS = 6_000;

const strace = (point: KillPoint, dataDir: string): string[] => {
  const times = 1 + Math.floor(Math.random() * point.within);
  const on = point.file ? ['-P', join(dataDir, point.file)] : [];
  return [
    'strace',
    '-D',
    '-f',
    '--seccomp-bpf',
    '-o',
    '/dev/null',
    ...on,
    '-e',
    `trace=${point.calls}`,
    '-e',
    `inject=${point.calls}:signal=KILL:when=${times}`,
  ];
};

/** A server that will be killed, and how. */
export interface Victim {
  readonly server: RunningServer;
  readonly point: string;
  /** Resolves when it is gone. */
  killed(): Promise<void>;
}

/** Starts a server that dies at a named point, or (`null`) at a random moment. It may die while it starts: then it is started plainly. */
export const startVictim = async (options: ServerOptions & { dataDir: string }, point: KillPoint | null): Promise<Victim> => {
  const server = await (point
    ? startServer({ ...options, under: strace(point, options.dataDir) }).catch(() => null)
    : startServer(options));
  if (!server) return { ...(await startVictim(options, null)), point: `${point?.name}, at the start` };
  const name = point?.name ?? 'at a random moment';
  return {
    server,
    point: name,
    killed: async () => {
      const exited = server.process.exitCode === null && server.process.signalCode === null ? once(server.process, 'exit') : null;
      const [from, to] = RANDOM_MILLISECONDS;
      await Promise.race([exited, wait(point ? PATIENCE_MILLISECONDS : from + Math.random() * (to - from))].filter(Boolean));
      await server.kill();
    },
  };
};

const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
