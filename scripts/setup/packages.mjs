// The npm packages.
import { existsSync, lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './run.mjs';

export const isLink = (path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** Installs what the lock file in the folder names, unless that is already there. Ends the setup if it fails. */
export const installPackages = (what, folder, options = []) => {
  const packages = join(root, folder, 'node_modules');
  // npm ci would empty the folder that the link points at, which other checkouts use.
  if (isLink(packages)) return console.log(`${what}: a link to another folder, left alone`);
  const installed = join(packages, '.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(root, folder, 'package-lock.json')).mtimeMs)
    return console.log(`${what}: up to date`);
  if (!run('npm', ['ci', ...options, '--loglevel=error', '--no-update-notifier'])) process.exit(1);
};
