import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';

const PROGRAMS = '/usr/lib/postgresql';
const START_MILLISECONDS = 30_000;
/** Ticks per second of `utime` and `stime` in /proc, on Linux. */
const TICK_MILLISECONDS = 10;

export interface Postgres {
  /** Connection string for the server's own socket. */
  readonly url: string;
  readonly version: string;
  /** Processor time of all its processes since the start. */
  cpuMilliseconds(): number;
  stop(): Promise<void>;
}

/** The newest PostgreSQL installed by Debian; `null` if there is none. */
export const postgresPrograms = (): string | null => {
  if (!existsSync(PROGRAMS)) return null;
  const versions = readdirSync(PROGRAMS).sort((a, b) => Number(b) - Number(a));
  const found = versions.map((version) => join(PROGRAMS, version, 'bin')).find((path) => existsSync(join(path, 'initdb')));
  return found ?? null;
};

/** The server does not run as root, but as the user that Debian created for it. */
const userOf = (): { uid: number; gid: number } | null => {
  if (process.getuid?.() !== 0) return null;
  const numberOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: numberOf('-u'), gid: numberOf('-g') };
};

/** A server of its own with Debian's configuration, in which every commit is synced. Its data are removed when it stops. */
export const startPostgres = async (programs: string): Promise<Postgres> => {
  const user = userOf();
  const directory = mkdtempSync(join(tmpdir(), 'tributary-postgres-'));
  if (user) chownSync(directory, user.uid, user.gid);
  const options = { ...user, cwd: directory, env: { PATH: process.env.PATH ?? '', LANG: 'C' }, stdio: 'ignore' } as const;
  const data = join(directory, 'data');
  execFileSync(join(programs, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'bench', '-E', 'UTF8'], options);
  const server = spawn(join(programs, 'postgres'), ['-D', data, '-k', directory, '-c', 'listen_addresses='], options);
  const url = `postgresql://bench@/postgres?host=${encodeURIComponent(directory)}`;
  // If the bench fails, the server does not keep running.
  const kill = () => server.kill('SIGINT');
  process.once('exit', kill);
  server.once('exit', () => process.off('exit', kill));
  const version = await answering(url, server);
  return {
    url,
    version,
    cpuMilliseconds: () => cpuOfTree(server.pid ?? 0),
    stop: async () => {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGINT');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

const answering = async (url: string, server: ChildProcess): Promise<string> => {
  for (const deadline = performance.now() + START_MILLISECONDS; ; ) {
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      const { rows } = await client.query('SHOW server_version');
      return String(rows[0]?.server_version);
    } catch (error) {
      if (server.exitCode !== null || performance.now() > deadline) throw error;
      await wait(50);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
};

/** Processor time of a process and all its children. */
const cpuOfTree = (root: number): number => {
  let ticks = 0;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const [, rest = ''] = readFileSync(`/proc/${name}/stat`, 'latin1').split(') ');
      const fields = rest.split(' ');
      const isRoot = Number(name) === root;
      if (!isRoot && Number(fields[1]) !== root) continue;
      ticks += Number(fields[11]) + Number(fields[12]);
      if (isRoot) ticks += Number(fields[13]) + Number(fields[14]);
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks * TICK_MILLISECONDS;
};
