import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** The Python of the virtual environment with `requirements.txt`; `null` without one. CI must have it. */
export const pythonOfTests = (): string | null => {
  const python = resolve('.venv-python', 'bin', 'python');
  if (existsSync(python)) return python;
  if (process.env.CI === 'true') throw new Error('CI needs .venv-python: see .ci/run');
  console.warn(
    'skipped: needs .venv-python (python3 -m venv .venv-python && .venv-python/bin/pip install -r test/python/requirements.txt)',
  );
  return null;
};

export interface Ran {
  readonly code: number;
  /** Both outputs in one text. */
  readonly output: string;
}

/** Runs a command and waits for its end. */
export const run = (
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<Ran> =>
  new Promise((done) => {
    const { PATH = '', HOME = '', NODE_EXTRA_CA_CERTS: authorities } = process.env;
    const env = { PATH, HOME, ...(authorities && { NODE_EXTRA_CA_CERTS: authorities }), ...options.env };
    execFile(command, args, { ...options, env, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === 'number' ? error.code : 1) : 0;
      done({ code, output: `${stdout}${stderr}` });
    });
  });
