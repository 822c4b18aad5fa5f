import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface DemoServer {
  readonly url: string;
  readonly apiKey: string;
  /** `null` for a server that the demo did not start. */
  readonly dataDir: string | null;
  stop(): Promise<void>;
}

/** Starts a server on a temporary data directory; `stop` removes both. */
export const startDemoServer = async (): Promise<DemoServer> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-demo-'));
  const apiKey = randomBytes(32).toString('base64url');
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../../bin/tributary.js', import.meta.url)), 'start'], {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: '0',
      PUBLIC_URL: '',
      DATA_DIR: dataDir,
      BOOTSTRAP_API_KEY: apiKey,
      // The server warns that private ranges are open, which is intended here.
      LOG_LEVEL: 'error',
      WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
      ROLES: '',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await readyLine(child);
  return {
    url,
    apiKey,
    dataDir,
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

const readyLine = (child: ChildProcess & { stdout: NodeJS.ReadableStream }): Promise<string> =>
  new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = /^tributary ready (\S+)$/.exec(line)?.[1];
      if (url) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`The demo's server ended with code ${code} before it was ready.`)));
  });
