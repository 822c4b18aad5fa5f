// Shared by the developers' command-line tools.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A program of an installed package, such as `tsc`. */
export const installed = (name, path) => join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), path);

/** A tool started by `npm run <name>`: it supports `--help`, and names invalid arguments (exit code 2). */
export const tool = (name) =>
  new Command(`npm run ${name} --`)
    .helpOption('--help', 'this text')
    .allowExcessArguments(false)
    .showHelpAfterError()
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));

/** For an option with a number; `pattern` defines the allowed ones. */
export const numberLike = (pattern, what) => (text) => {
  if (pattern.test(text)) return text;
  throw new InvalidArgumentError(`It takes ${what}.`);
};

/** Runs a Node program in the project's directory and exits with its code if that is not 0. */
export const runNode = (args, environment = {}) => {
  const { status } = spawnSync(process.execPath, args, { cwd: root, env: { ...process.env, ...environment }, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};

export const vitest = installed('vitest', 'vitest.mjs');
