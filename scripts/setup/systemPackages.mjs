// Debian's packages that speech needs.
import { findPython } from './python.mjs';
import { run, works } from './run.mjs';

/** The Docker image has them too. */
const SPEECH_PACKAGES = ['ffmpeg', 'python3', 'python3-venv'];

const missingParts = () => [
  ...(works('ffmpeg', '-version') ? [] : ['ffmpeg']),
  ...(findPython() === undefined ? ['Python 3.10 or newer with venv'] : []),
];

/** Installs missing packages where allowed. Returns what to do about the rest, or `null`. */
export const installSystemPackages = ({ allowed }) => {
  if (missingParts().length === 0) {
    console.log('ffmpeg and Python: found');
    return null;
  }
  const environment = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  if (allowed && process.getuid?.() === 0 && works('apt-get', '--version')) {
    run('apt-get', ['update', '-qq'], environment);
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...SPEECH_PACKAGES], environment);
  }
  const missing = missingParts();
  if (missing.length === 0) return null;
  const line = `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${SPEECH_PACKAGES.join(' ')}`;
  return `Missing: ${missing.join(' and ')}. On Debian or Ubuntu, type:\n\n  ${line}\n`;
};
