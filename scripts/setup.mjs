// Makes a fresh clone ready: npm packages, and an offline speech engine where Debian's packages can be installed.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HELP = `npm run setup [-- --no-system]

Installs the npm packages when they are missing or older than package-lock.json, and, when no speech engine is found,
Debian's packages for one (as root; otherwise it prints the line to type).

  --no-system   leave the machine's own packages alone
  --help        this text

Example: npm run setup -- --no-system`;

const SPEECH_PACKAGES = ['pocketsphinx', 'pocketsphinx-en-us', 'ffmpeg'];
const root = dirname(dirname(fileURLToPath(import.meta.url)));

const has = (command) => spawnSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' }).status === 0;

const run = (command, args, options = {}) => {
  console.log(`$ ${[command, ...args].join(' ')}`);
  return spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], ...options }).status === 0;
};

const packagesAreCurrent = () => {
  const installed = join(root, 'node_modules/.package-lock.json');
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs;
};

const installPackages = () => {
  if (packagesAreCurrent()) return console.log('npm packages: up to date');
  if (!run('npm', ['ci'])) process.exit(1);
};

const speechEngineIsThere = () => has('ffmpeg') && (has('pocketsphinx_continuous') || has('pocketsphinx'));

const installSpeech = () => {
  if (speechEngineIsThere()) return console.log('speech engine: PocketSphinx is there');
  const line = `apt-get update && apt-get install -y --no-install-recommends ${SPEECH_PACKAGES.join(' ')}`;
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  if (process.getuid?.() === 0 && has('apt-get')) {
    const done =
      run('apt-get', ['update', '-qq'], { env: environment }) &&
      run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...SPEECH_PACKAGES], { env: environment });
    if (done && speechEngineIsThere()) return console.log('speech engine: PocketSphinx installed');
  }
  console.log(`No speech engine yet: everything works but transcription. On Debian or Ubuntu, type:\n\n  sudo sh -c '${line}'\n`);
  console.log('or set TRANSCRIBER_URL to an OpenAI-compatible transcription server.');
};

const flags = process.argv.slice(2);
const unknown = flags.find((flag) => flag !== '--no-system' && flag !== '--help');
if (unknown !== undefined) {
  console.error(`Unknown flag ${unknown}.\n\n${HELP}`);
  process.exit(2);
}
if (flags.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}
installPackages();
if (!flags.includes('--no-system')) installSpeech();
console.log('\nReady. Next: npm start    or: npm run demo    or: npm test');
