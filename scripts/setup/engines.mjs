// The Python environment of the speech engines.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPython } from './python.mjs';
import { root, run, works } from './run.mjs';

const environment = join(root, 'speech/.venv');
const python = join(environment, 'bin/python');
const requirements = join(root, 'speech/requirements.txt');
const stamp = join(environment, '.installed');

const PIP = ['-m', 'pip', 'install', '--require-hashes', '--only-binary', ':all:', '--no-input', '--disable-pip-version-check', '--quiet'];

const ADVICE = `The speech engines could not be installed; the lines above say why. They need a package index that pip can reach, and Linux with
glibc 2.34 or newer (such as Debian 12 or Ubuntu 22.04) or macOS 15.`;

const wanted = () => createHash('sha256').update(readFileSync(requirements)).digest('hex');

/** The interpreter runs (an upgrade of the machine's Python removes it), and the packages are those of requirements.txt. */
const isCurrent = () =>
  existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted() && works(python, '-c', 'import faster_whisper, moonshine_voice');

/** Installs the engines. Returns whether they are installed. */
export const installEngines = () => {
  if (isCurrent()) {
    console.log('speech engines: up to date');
    return true;
  }
  const command = findPython();
  if (command === undefined) return false;
  console.log('Installing the speech engines (about 220 MB to download) ...');
  if (!run(command, ['-m', 'venv', '--clear', environment])) return false;
  if (!run(python, [...PIP, '-r', requirements])) {
    console.log(ADVICE);
    return false;
  }
  if (!works(python, '-c', 'import faster_whisper, moonshine_voice')) {
    console.log(`The speech engines are installed but do not start. See: ${python} -c "import faster_whisper, moonshine_voice"`);
    return false;
  }
  writeFileSync(stamp, wanted());
  console.log('speech engines: installed');
  return true;
};
