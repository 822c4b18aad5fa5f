// Prepares a fresh clone: npm packages, Node if the machine's is too old, the speech engines and, if the hub can be reached, a Whisper model.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installNode } from './setup/node.mjs';
import { installPackages } from './setup/packages.mjs';
import { root } from './setup/run.mjs';

const MODELS = ['base', 'small', 'tiny.en', 'none'];

const HELP = `npm run setup [-- OPTIONS]

Installs, each only if it is missing or out of date:
  - the npm packages
  - Node for this project alone, if the machine's own is older than 24.15
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

const flags = readFlags(process.argv.slice(2));
installPackages('npm packages', '');
const node = installNode();
if (flags.speech === 'none') console.log('speech: left out (--speech none)');
else {
  const { status } = spawnSync(node, [join(root, 'scripts/setup/speech.mjs'), JSON.stringify(flags)], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
console.log('\nReady. Next: npm start    or: npm run demo    or: npm test');
