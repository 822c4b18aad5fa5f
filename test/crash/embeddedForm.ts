import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, startServer } from '../e2e/server.ts';
import type { Form, Victim } from './form.ts';
import { type KillPoint, strace, untilKilled } from './killing.ts';

const KILL_POINTS: readonly KillPoint[] = [
  { name: 'while the log is written', calls: 'pwrite64', file: 'log.db-wal', within: 1500 },
  { name: 'before the log is synced', calls: 'fsync,fdatasync', file: 'log.db-wal', within: 120 },
  { name: 'before an answer is sent', calls: 'writev', within: 150 },
  { name: 'before uploaded bytes are synced', calls: 'fdatasync', within: 60 },
  { name: 'while read models are written', calls: 'pwrite64', file: 'views.db-wal', within: 800 },
  { name: 'before the vault is synced', calls: 'fsync,fdatasync', file: 'vault.db-wal', within: 4 },
  { name: 'before any sync', calls: 'fsync,fdatasync', within: 200 },
];

const RANDOM_MILLISECONDS = [300, 2_500] as const;

/** One process with its stores in a directory: every kill ends all of it. `traced`: every second kill is at a named point. */
export const embeddedForm = (settings: Readonly<Record<string, string>>, traced: boolean): Form => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-crash-'));
  const options = { dataDir, environment: settings };
  let server: RunningServer | null = null;
  const stop = async (): Promise<void> => {
    const code = await server?.stop();
    server = null;
    if (code !== undefined && code !== 0) throw new Error(`the server ended with ${code}`);
  };

  /** One that dies while it starts is started plainly. */
  const started = async (point: KillPoint | null): Promise<Victim> => {
    const before = performance.now();
    const running = await (point ? startServer({ ...options, under: strace(point, dataDir) }).catch(() => null) : startServer(options));
    if (!running) return { ...(await started(null)), name: `${point?.name}, at the start` };
    server = running;
    return {
      name: `${point?.name ?? 'at a random moment'}; had been ready in ${Math.round(performance.now() - before)} ms`,
      killed: async () => {
        await untilKilled(running, point, RANDOM_MILLISECONDS);
        server = null;
      },
    };
  };

  return {
    environment: { DATA_DIR: dataDir },
    patience: 60_000,
    start: async () => {
      server ??= await startServer(options);
    },
    urls: () => (server ? [server.url] : []),
    victim: async (turn) => {
      await stop();
      const point = traced && turn % 2 === 0 ? KILL_POINTS[(turn / 2) % KILL_POINTS.length] : null;
      return started(point ?? null);
    },
    stop,
    close: async (passed) => {
      await server?.kill();
      if (passed) rmSync(dataDir, { recursive: true, force: true });
      else console.log(`the stores are left for who looks into it: ${dataDir}`);
    },
  };
};
