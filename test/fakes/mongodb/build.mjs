// Builds the MongoDB-compatible server of the tests, a changed FerretDB (changed.mjs), and prints where its binary is. The first time takes
// some minutes (modules are downloaded, SQLite is compiled); afterwards it is found again as long as the sources are the same.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onceBuilt } from '../onceBuilt.mjs';
import { CHANGED_SOURCES, writeChanged } from './changed.mjs';

const sources = dirname(fileURLToPath(import.meta.url));

const digestOf = (files) =>
  files
    .reduce((hash, file) => hash.update(readFileSync(file)), createHash('sha256'))
    .digest('hex')
    .slice(0, 16);
const own = ['go.mod', 'go.sum', 'main.go'].map((file) => join(sources, file));

const build = (binary, options) => {
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

const buildChanged = (binary, cache) => {
  const directory = mkdtempSync(join(cache, 'ferretdb-'));
  try {
    build(binary, [`-modfile=${writeChanged(directory)}`]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

console.log(onceBuilt(`mongodb-${digestOf([...own, ...CHANGED_SOURCES])}`, buildChanged));
