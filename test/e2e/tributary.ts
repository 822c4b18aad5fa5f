import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Starts faster than `bin/tributary.js`, for the same command line. */
export const PROGRAM = 'test/e2e/program.cjs';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line in a separate process, on a data directory. */
export const tributary = async (
  dataDir: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ran> => {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, ...environment };
  try {
    const options = { env, maxBuffer: 64 * 1_048_576 };
    return { code: 0, ...(await promisify(execFile)(process.execPath, [PROGRAM, ...words], options)) };
  } catch (error) {
    // execFile's own error has all three.
    return error as Ran;
  }
};
