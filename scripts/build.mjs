// Compiles src to dist, unless dist is newer than everything that it is made from.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'dist/.tsbuildinfo');

const newest = (path) => {
  const info = statSync(path);
  if (!info.isDirectory()) return info.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), info.mtimeMs);
};

export const build = () => {
  const sources = ['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json'].map((name) => newest(join(root, name)));
  if (existsSync(stamp) && statSync(stamp).mtimeMs > Math.max(...sources)) return;
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: ['ignore', 2, 2] });
};

if (process.argv[1] === fileURLToPath(import.meta.url)) build();
