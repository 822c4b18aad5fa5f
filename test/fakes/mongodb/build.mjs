// Builds the MongoDB-compatible server of the tests and prints where its binary is. The first time takes some minutes (modules are
// downloaded, SQLite is compiled); afterwards the binary is found again as long as the sources are the same.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sources = dirname(fileURLToPath(import.meta.url));
const cache = join(sources, '../../../node_modules/.cache/tributary');

const digest = ['go.mod', 'go.sum', 'main.go'].reduce((hash, file) => hash.update(readFileSync(join(sources, file))), createHash('sha256'));
const binary = join(cache, `mongodb-${digest.digest('hex').slice(0, 16)}`);
const lock = `${binary}.lock`;

const STALE_MILLISECONDS = 15 * 60_000;
const pause = (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Another process that builds is waited for; one that is gone is not. */
const takeLock = () => {
  for (;;) {
    try {
      return writeFileSync(lock, String(process.pid), { flag: 'wx' });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (existsSync(binary)) return;
    try {
      if (!isAlive(Number(readFileSync(lock, 'utf8'))) || Date.now() - statSync(lock).mtimeMs > STALE_MILLISECONDS)
        rmSync(lock, { force: true });
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
    pause(200);
  }
};

const build = () => {
  const unfinished = `${binary}.${process.pid}`;
  const { status, error } = spawnSync('go', ['build', '-trimpath', '-buildvcs=false', '-ldflags=-s -w', '-o', unfinished, '.'], {
    cwd: sources,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`go build failed${error ? `: ${error.message}` : ''}`);
  renameSync(unfinished, binary);
};

if (!existsSync(binary)) {
  mkdirSync(cache, { recursive: true });
  takeLock();
  try {
    if (!existsSync(binary)) build();
  } finally {
    rmSync(lock, { force: true });
  }
}
console.log(binary);
