// The pinned Node, for a machine whose own is too old. npm and npx find it first, as a program of the project's packages.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { installPackages, isLink } from './packages.mjs';
import { root } from './run.mjs';

/** Its lock file pins one version for each platform. It is a folder of its own: `npm ci` in the project removes what the project's lock file lacks. */
const FOLDER = 'scripts/setup/node';
const packages = join(root, FOLDER, 'node_modules');
const link = join(root, 'node_modules/.bin/node');

/** The program of the package for this platform. Its link in `.bin` is missing under npm 9, which removes the one of the same name of the other platforms. */
const pinned = () =>
  (existsSync(packages) ? readdirSync(packages) : []).map((name) => join(packages, name, 'bin/node')).find((path) => existsSync(path));

/** Such as 24.15. Before it, Node's SQLite writes warnings between the lines of the log, which are JSON. */
const wanted = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node.replace('>=', '');

const isEnough = (version) => version.localeCompare(wanted, 'en', { numeric: true }) >= 0;

/** Empty if it does not run. */
const versionOf = (node) => spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout?.trim() ?? '';

/** Returns the path of a Node that is new enough. Ends the setup if there is none. */
export const installNode = () => {
  const found = versionOf('node');
  if (!existsSync(link) && isEnough(found)) {
    console.log(`Node: ${found}, the machine's own`);
    return process.execPath;
  }
  if (!isLink(join(root, 'node_modules'))) {
    installPackages('pinned Node', FOLDER, ['--prefix', FOLDER, '--ignore-scripts']);
    rmSync(link, { force: true });
    mkdirSync(dirname(link), { recursive: true });
    const node = pinned();
    if (node !== undefined) symlinkSync(relative(dirname(link), node), link);
  }
  const version = versionOf(link);
  if (!isEnough(version)) {
    console.error(
      `Tributary needs Node ${wanted} or newer; this is ${found || process.versions.node}, and npm has none for this system. Install it, then run npm run setup again.`,
    );
    process.exit(1);
  }
  console.log(`Node: ${version}, installed for this project (npm start, npx tributary and all scripts run on it)`);
  return link;
};
