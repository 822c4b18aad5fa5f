// What the developers' command-line tools have in common.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A program of a package that is installed here, such as `tsc`. */
export const installed = (name, path) => join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), path);

/** A tool that `npm run <name>` starts: it knows `--help`, and names what it was wrongly given (exit code 2). */
export const tool = (name) =>
  new Command(`npm run ${name} --`)
    .helpOption('--help', 'this text')
    .allowExcessArguments(false)
    .showHelpAfterError()
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));

/** For an option that takes a number; `pattern` says which. */
export const numberLike = (pattern, what) => (text) => {
  if (pattern.test(text)) return text;
  throw new InvalidArgumentError(`It takes ${what}.`);
};

/** Runs a program of Node's in the project's directory and ends with its exit code when that is not 0. */
export const runNode = (args, environment = {}) => {
  const { status } = spawnSync(process.execPath, args, { cwd: root, env: { ...process.env, ...environment }, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};

export const vitest = installed('vitest', 'vitest.mjs');
