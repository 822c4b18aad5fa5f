import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const NODE_IMAGE = /^FROM (node:\S+)/m.exec(readFileSync('Dockerfile', 'utf8'))?.[1] ?? '';

const works = (command: string, ...words: string[]): boolean => spawnSync(command, words, { stdio: 'ignore' }).status === 0;

/** Makes a stand-in for the base image if neither this engine nor a registry has it. Returns whether there is one now. */
export const ensureBaseImage = (): boolean => {
  if (works('docker', 'image', 'inspect', NODE_IMAGE) || works('docker', 'pull', '-q', NODE_IMAGE)) return true;
  if (process.getuid?.() !== 0 || !works('debootstrap', '--version')) return false;
  console.log(`No registry has ${NODE_IMAGE}: making a stand-in from Debian's packages and this Node ...`);
  const root = mkdtempSync(join(tmpdir(), 'tributary-base-'));
  try {
    execFileSync('debootstrap', ['--variant=minbase', 'bookworm', root], { stdio: ['ignore', 'ignore', 'inherit'] });
    asInTheOriginal(root);
    addNode(root);
    importImage(root, addConnection(root));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return true;
};

/** What images of Debian leave out, and how they treat packages that are installed later. */
const asInTheOriginal = (root: string): void => {
  for (const path of ['usr/share/doc', 'usr/share/man', 'usr/share/locale', 'usr/share/info', 'var/lib/apt/lists', 'var/cache/apt'])
    rmSync(join(root, path), { recursive: true, force: true });
  mkdirSync(join(root, 'var/lib/apt/lists/partial'), { recursive: true });
  mkdirSync(join(root, 'var/cache/apt/archives/partial'), { recursive: true });
  const noCache = ['pkgcache', 'srcpkgcache'].map((name) => `Dir::Cache::${name} "";\n`).join('');
  const noPackages = 'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb || true"; };\n';
  writeFileSync(join(root, 'etc/apt/apt.conf.d/docker-clean'), noCache + noPackages);
  const excluded = ['doc', 'man', 'locale', 'info'].map((name) => `path-exclude /usr/share/${name}/*\n`).join('');
  writeFileSync(join(root, 'etc/dpkg/dpkg.cfg.d/docker'), `force-unsafe-io\n${excluded}`);
};

const addNode = (root: string): void => {
  const bin = join(root, 'usr/local/bin');
  copyFileSync(process.execPath, join(bin, 'node'));
  chmodSync(join(bin, 'node'), 0o755);
  // .../npm/bin/npm-cli.js
  const npm = execFileSync('sh', ['-c', 'readlink -f "$(command -v npm)"'], { encoding: 'utf8' }).trim();
  cpSync(dirname(dirname(npm)), join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(bin, name));
  execFileSync('chroot', [root, 'useradd', '--uid', '1000', '--create-home', '--shell', '/bin/bash', 'node']);
};

/** Settings of the package managers of this machine: a build inside the image reaches what they reach. */
const PASSED_ON = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'PIP_INDEX_URL', 'npm_config_registry'];

const addConnection = (root: string): string[] => {
  const passed = PASSED_ON.flatMap((name) => (process.env[name] ? [`${name}=${process.env[name]}`] : []));
  const { NODE_EXTRA_CA_CERTS: authorities = '' } = process.env;
  if (!existsSync(authorities)) return passed;
  copyFileSync(authorities, join(root, 'etc/extra-authorities.crt'));
  return [...passed, ...['NODE_EXTRA_CA_CERTS', 'PIP_CERT'].map((name) => `${name}=/etc/extra-authorities.crt`)];
};

const importImage = (root: string, environment: readonly string[]): void => {
  const changes = environment.flatMap((pair) => ['--change', `ENV ${pair}`]);
  const pipe = 'tar -C "$0" -c . | docker import "$@"';
  execFileSync('bash', ['-o', 'pipefail', '-c', pipe, root, ...changes, '-', NODE_IMAGE], { stdio: ['ignore', 'ignore', 'inherit'] });
};
