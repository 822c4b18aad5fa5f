// Runs other programs for the setup.
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Prints the command, runs it, and returns whether it succeeded. */
export const run = (command, args, options = {}) => {
  console.log(`$ ${[command, ...args].join(' ')}`);
  return spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], ...options }).status === 0;
};

/** Whether a command runs and succeeds. */
export const works = (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;
