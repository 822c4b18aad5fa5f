// Compiles src to dist and clients/typescript to its dist, and bundles the program to dist/program and web to dist/web, each unless dist is newer than its
// sources. Running servers are not disturbed: files are overwritten, and only those without a source are removed.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildWeb } from './buildWeb.mjs';
import { bundleProgram } from './bundleProgram.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const stamp = join(dist, '.tsbuildinfo');

const newest = (path) => {
  const info = statSync(path);
  if (!info.isDirectory()) return info.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), info.mtimeMs);
};

const removeOrphans = () => {
  for (const name of readdirSync(dist, { recursive: true })) {
    const source = name.replace(/\.js(\.map)?$/, '.ts');
    if (!/^(web|program)(\/|$)/.test(name) && source !== name && !existsSync(join(root, 'src', source))) rmSync(join(dist, name));
  }
};

const tsc = (project) => {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', project], { cwd: root, stdio: ['ignore', 2, 2] });
};

/** The typed client, which the demonstration uses. */
const compileClient = () => {
  const folder = join(root, 'clients/typescript');
  const stamp = join(folder, 'dist/.tsbuildinfo');
  const sources = ['src', 'tsconfig.json', 'package.json'].map((name) => newest(join(folder, name)));
  if (existsSync(stamp) && statSync(stamp).mtimeMs > Math.max(...sources)) return;
  tsc(join(folder, 'tsconfig.json'));
  const now = new Date();
  utimesSync(stamp, now, now);
};

/** The server. */
export const compile = () => {
  const sources = ['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json'].map((name) => newest(join(root, name)));
  if (existsSync(stamp) && statSync(stamp).mtimeMs > Math.max(...sources)) return;
  tsc('tsconfig.build.json');
  removeOrphans();
  // If nothing had to be written, the stamp still marks the build as up to date.
  const now = new Date();
  utimesSync(stamp, now, now);
};

export const build = async () => {
  compileClient();
  compile();
  await bundleProgram();
  await buildWeb();
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
