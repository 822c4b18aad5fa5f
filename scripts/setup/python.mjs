// Finds a suitable Python for the speech engines.
import { works } from './run.mjs';

const CHECK = 'import sys, venv, ensurepip; sys.exit(0 if (3, 10) <= sys.version_info[:2] <= (3, 14) else 1)';

/** The newest versions sometimes lack wheels, so the machine's own python3 comes first. */
const CANDIDATES = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10'];

/** A Python from 3.10 on with venv, or `undefined`. */
export const findPython = () => CANDIDATES.find((command) => works(command, '-c', CHECK));
