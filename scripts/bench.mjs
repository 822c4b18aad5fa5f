// Compiles src and bench to dist-bench, then runs the benches: all, or those named (`npm run bench -- append`).
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const run = (...command) => {
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};

// Benches that start a whole server run it from dist, as users do.
await build();
run(join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc'), '-p', 'bench');
run('dist-bench/bench/main.js', ...process.argv.slice(2));
