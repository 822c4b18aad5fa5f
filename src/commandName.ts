import { existsSync } from 'node:fs';

/** The command line as an operator types it here: through npx in a checkout, directly where the program is installed without its sources, as in the image. */
export const COMMAND = existsSync(new URL('../src', import.meta.url)) ? 'npx tributary' : 'tributary';
