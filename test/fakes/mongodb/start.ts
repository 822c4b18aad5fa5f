import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The second path applies when this file is compiled for the benches. */
const BUILD = ['./build.mjs', '../../../../test/fakes/mongodb/build.mjs']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path));

/** The first build of the server takes minutes: pass it to the hook that calls `mongoIsHere` or `startMongo`. */
export const MONGO_BUILD_TIMEOUT = 600_000;

/** A FerretDB 1.24 of this machine, on its SQLite backend. */
export interface FakeMongo {
  /** `mongodb://127.0.0.1:<port>/`; the same after `restart`. Append the name of a database. */
  readonly url: string;
  readonly directory: string;
  /** SIGKILL; resolves when it has ended. All answered writes are in its files. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, with the same files on the same port. */
  restart(): Promise<void>;
  /** SIGSTOP: it accepts connections and answers nothing, until `resume`. */
  pause(): void;
  resume(): void;
  /** Ends it and removes its directory, if it was created here. */
  stop(): Promise<void>;
}

let built: Promise<string> | undefined;

/** Path of the program. */
const binary = (): Promise<string> => {
  built ??= promisify(execFile)(process.execPath, [BUILD ?? ''], { timeout: MONGO_BUILD_TIMEOUT }).then(({ stdout }) => stdout.trim());
  return built;
};

/** Whether FerretDB is available here; builds it if necessary. */
export const goIsHere = async (): Promise<boolean> =>
  binary().then(
    () => true,
    () => false,
  );

/** As `goIsHere`, for tests that need exactly this server. Otherwise they are skipped with a message, or fail in CI. */
export const fakeMongoIsHere = async (): Promise<boolean> => {
  if (await goIsHere()) return true;
  if (process.env.CI === 'true') throw new Error('CI needs Go');
  console.warn('skipped: needs Go');
  return false;
};

export interface MongoOptions {
  /** Directory of its data; default: a new one, which is removed with it. */
  readonly directory?: string;
  /** Default: a free one. */
  readonly port?: number;
}

export const startMongo = async ({ directory, port = 0 }: MongoOptions = {}): Promise<FakeMongo> => {
  const program = await binary();
  const files = directory ?? mkdtempSync(join(tmpdir(), 'tributary-mongodb-'));
  let { child, url } = await launch(program, files, `127.0.0.1:${port}`);
  const kill = async (): Promise<void> => {
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  return {
    url,
    directory: files,
    kill,
    restart: async () => {
      ({ child, url } = await launch(program, files, new URL(url).host));
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    stop: async () => {
      await kill();
      if (directory === undefined) rmSync(files, { recursive: true, force: true });
    },
  };
};

/** Resolves when it listens. It ends with this process, because its stdin then ends. */
const launch = async (program: string, directory: string, address: string): Promise<{ child: ChildProcess; url: string }> => {
  const child = spawn(program, [directory, address], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`the MongoDB of the tests ended: ${code ?? signal}`)));
  });
  lines.close();
  child.stdout.resume();
  return { child, url };
};

/** A name for a database that no other test uses. */
export const databaseName = (): string => `test-${randomUUID()}`;
