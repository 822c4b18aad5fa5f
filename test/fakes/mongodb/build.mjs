// Builds the MongoDB-compatible server of the tests, a changed FerretDB (changed.mjs), and prints where its binary is. The first time takes
// some minutes (modules are downloaded, SQLite is compiled); afterwards it is found again as long as the sources are the same.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHANGED_SOURCES, writeChanged } from './changed.mjs';

const sources = dirname(fileURLToPath(import.meta.url));
const cache = join(sources, '../../../node_modules/.cache/tributary');

const digestOf = (files) =>
  files
    .reduce((hash, file) => hash.update(readFileSync(file)), createHash('sha256'))
    .digest('hex')
    .slice(0, 16);
const own = ['go.mod', 'go.sum', 'main.go'].map((file) => join(sources, file));
const binary = join(cache, `mongodb-${digestOf([...own, ...CHANGED_SOURCES])}`);
const lock = `${binary}.lock`;

const STALE_MILLISECONDS = 15 * 60_000;
const pause = (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

const isBuilt = () => existsSync(binary);

const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Waits for another process that is building; one that has ended is ignored. */
const takeLock = () => {
  for (;;) {
    try {
      return writeFileSync(lock, String(process.pid), { flag: 'wx' });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isBuilt()) return;
    try {
      if (!isAlive(Number(readFileSync(lock, 'utf8'))) || Date.now() - statSync(lock).mtimeMs > STALE_MILLISECONDS)
        rmSync(lock, { force: true });
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
    pause(200);
  }
};

const build = (options) => {
  const unfinished = `${binary}.${process.pid}`;
  const { status, error } = spawnSync(
    'go',
    ['build', '-trimpath', '-buildvcs=false', '-ldflags=-s -w', ...options, '-o', unfinished, '.'],
    {
      cwd: sources,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  if (status !== 0) throw new Error(`go build failed${error ? `: ${error.message}` : ''}`);
  renameSync(unfinished, binary);
};

const buildChanged = () => {
  const directory = mkdtempSync(join(cache, 'ferretdb-'));
  try {
    build([`-modfile=${writeChanged(directory)}`]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

if (!isBuilt()) {
  mkdirSync(cache, { recursive: true });
  takeLock();
  try {
    if (!isBuilt()) buildChanged();
  } finally {
    rmSync(lock, { force: true });
  }
}
console.log(binary);
