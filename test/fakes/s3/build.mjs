// Builds the S3 server of the tests, versitygw, from the Go module proxy, and prints where its binary is. The first time takes a minute or two.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onceBuilt } from '../onceBuilt.mjs';

const VERSION = 'v1.8.0';

const build = (binary, cache) => {
  const directory = mkdtempSync(join(cache, 'versitygw-'));
  try {
    const { status, error } = spawnSync(
      'go',
      ['install', '-trimpath', '-ldflags=-s -w', `github.com/versity/versitygw/cmd/versitygw@${VERSION}`],
      { cwd: directory, env: { ...process.env, GOBIN: directory, GOFLAGS: '' }, stdio: ['ignore', 'ignore', 'inherit'] },
    );
    if (status !== 0) throw new Error(`go install failed${error ? `: ${error.message}` : ''}`);
    renameSync(join(directory, 'versitygw'), binary);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

console.log(onceBuilt(`versitygw-${VERSION}`, build));
