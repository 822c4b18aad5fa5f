import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { documentPages } from '../../src/stores/pages.ts';
import { type RunningServer, startServer } from '../e2e/server.ts';
import type { Form } from './form.ts';
import { Interrupted } from './interrupted.ts';
import { type KillPoint, killAt, untilKilled } from './killing.ts';

/** `file`: below the data directory. */
const KILL_POINTS: readonly KillPoint[] = [
  { name: 'while the log is written', calls: 'pwrite64', file: 'log.db-wal', within: 300 },
  { name: 'before the log is synced', calls: 'fsync,fdatasync', file: 'log.db-wal', within: 40 },
  { name: 'before an answer is sent', calls: 'writev', within: 40 },
  { name: 'before the data of any file are synced', calls: 'fdatasync', within: 6 },
  { name: 'while read models are written', calls: 'pwrite64', file: 'views.db-wal', within: 200 },
  { name: 'before the vault is synced', calls: 'fsync,fdatasync', file: 'vault.db-wal', within: 4 },
  { name: 'while the log takes back its write-ahead log', calls: 'pwrite64', file: 'log.db', within: 50 },
  { name: 'between the upload and the end of its run', calls: 'fsync,fdatasync', file: 'log.db-wal', within: 2 },
  { name: 'before any sync', calls: 'fsync,fdatasync', within: 20 },
];

const RANDOM_MILLISECONDS = [300, 2_500] as const;
const UNTRACED_MILLISECONDS = 500;
/** Documents read at a time. */
const PAGE = 5_000;

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

  return {
    environment: { DATA_DIR: dataDir },
    patience: 60_000,
    interrupted: new Interrupted(dataDir),
    start: async () => {
      server ??= await startServer(options);
    },
    urls: () => (server ? [server.url] : []),
    victim: async (turn) => {
      await stop();
      const before = performance.now();
      const running = await startServer(options);
      server = running;
      const point = (traced && turn % 2 === 0 && KILL_POINTS[(turn / 2) % KILL_POINTS.length]) || null;
      return {
        name: `${point ? `${point.name}; ` : ''}had been ready in ${Math.round(performance.now() - before)} ms`,
        killed: async () => {
          // The point should be reached during work.
          if (point) await wait(UNTRACED_MILLISECONDS);
          if (point) await killAt({ ...point, ...(point.file && { file: join(dataDir, point.file) }) }, running.process.pid ?? 0);
          const death = await untilKilled(running, point, RANDOM_MILLISECONDS);
          server = null;
          return death;
        },
      };
    },
    stop,
    documents: async function* ({ documents }, collection) {
      for await (const page of documentPages(documents, collection, {}, PAGE)) yield* page;
    },
    close: async (passed) => {
      await server?.kill();
      if (passed) rmSync(dataDir, { recursive: true, force: true });
      else console.log(`the stores are left for who looks into it: ${dataDir}`);
    },
  };
};
