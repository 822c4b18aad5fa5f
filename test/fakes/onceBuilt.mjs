// Builds a program of the tests once, also when several processes ask for it, and keeps it below node_modules/.cache.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cache = join(dirname(fileURLToPath(import.meta.url)), '../../node_modules/.cache/tributary');

const STALE_MILLISECONDS = 15 * 60_000;
const pause = (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Waits for another process that is building; one that has ended is ignored. */
const takeLock = (lock, isBuilt) => {
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

/** Path of the program; `build` gets that path and the folder for its work, unless the program is there. */
export const onceBuilt = (name, build) => {
  const binary = join(cache, name);
  const isBuilt = () => existsSync(binary);
  if (isBuilt()) return binary;
  mkdirSync(cache, { recursive: true });
  const lock = `${binary}.lock`;
  takeLock(lock, isBuilt);
  try {
    if (!isBuilt()) build(binary, cache);
  } finally {
    rmSync(lock, { force: true });
  }
  return binary;
};
