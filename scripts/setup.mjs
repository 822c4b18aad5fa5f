// Prepares a fresh clone: npm packages, the speech engines and, if the hub can be reached, a Whisper model.
import { existsSync, lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { installEngines } from './setup/engines.mjs';
import { installModel } from './setup/model.mjs';
import { root, run } from './setup/run.mjs';
import { installSystemPackages } from './setup/systemPackages.mjs';

const MODELS = ['base', 'small', 'tiny.en', 'none'];

const HELP = `npm run setup [-- OPTIONS]

Installs, each only if it is missing or out of date:
  - the npm packages
  - ffmpeg and Python's venv from Debian's packages (as root; otherwise it prints the line to type)
  - the speech engines (moonshine and faster-whisper) in speech/.venv, every package checked by its hash
  - a Whisper model, from MODELS_URL or the Hugging Face hub

  --speech MODEL  ${MODELS.join(', ')}: the Whisper model (default: base); none leaves speech out
  --no-system     leave the machine's own packages alone
  --help          this text

Example: npm run setup -- --speech small`;

const misused = (reason) => {
  console.error(`${reason}\n\n${HELP}`);
  process.exit(2);
};

const readFlags = (words) => {
  const flags = { system: true, speech: null };
  for (let n = 0; n < words.length; n++) {
    const [flag, inline] = words[n].split('=', 2);
    if (flag === '--help') {
      console.log(HELP);
      process.exit(0);
    } else if (flag === '--no-system') flags.system = false;
    else if (flag === '--speech') {
      flags.speech = inline ?? words[++n];
      if (!MODELS.includes(flags.speech)) misused(`--speech takes ${MODELS.join(', ')}.`);
    } else misused(`Unknown option ${words[n]}.`);
  }
  return flags;
};

const installPackages = () => {
  const folder = join(root, 'node_modules');
  // npm ci would empty the folder that the link points at, which other checkouts use.
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink())
    return console.log('npm packages: a link to another folder, left alone');
  const installed = join(folder, '.package-lock.json');
  const current = existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs;
  if (current) return console.log('npm packages: up to date');
  if (!run('npm', ['ci', '--loglevel=error', '--no-update-notifier'])) process.exit(1);
};

const installSpeech = async ({ system, speech }) => {
  if (speech === 'none') return console.log('speech: left out (--speech none)');
  const missing = installSystemPackages({ allowed: system });
  const engines = installEngines();
  await installModel(speech);
  if (missing === null && engines) return;
  console.log('\nTranscription does not work yet. Everything else does; uploads that need speech are refused with the reason.');
  if (missing !== null) console.log(missing);
  console.log('Then run npm run setup again, or set TRANSCRIBER_URL to an OpenAI-compatible transcription server.');
};

const flags = readFlags(process.argv.slice(2));
installPackages();
await installSpeech(flags);
console.log('\nReady. Next: npm start    or: npm run demo    or: npm test');
